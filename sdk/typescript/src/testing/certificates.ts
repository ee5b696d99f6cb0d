/** Certificates that a client must refuse, made by `openssl` where the machine has it. For tests only. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface Certificate {
  readonly key: string;
  readonly cert: string;
  /** What a client has to trust to come as far as the certificate's own fault. */
  readonly ca?: string;
}

export interface Certificates {
  /** Signed by itself, for the right address. */
  readonly selfSigned: Certificate;
  /** Trusted, and for another name. */
  readonly otherName: Certificate;
  /** Trusted, for the right address, and out of date. */
  readonly expired: Certificate;
  /** Signed by an authority that nobody knows. */
  readonly unknownIssuer: Certificate;
}

/** `undefined` where there is no `openssl`. */
export function makeCertificates(): Certificates | undefined {
  if (spawnSync('openssl', ['version']).error !== undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'turnwire-certificates-'));
  try {
    return make(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const ourAddress = 'IP:127.0.0.1';

function make(folder: string): Certificates {
  const file = (name: string) => join(folder, name);
  const read = (name: string) => readFileSync(file(name), 'utf8');
  const openssl = (...args: string[]) => {
    const { status, stderr } = spawnSync('openssl', args, { cwd: folder, encoding: 'utf8' });
    if (status !== 0) throw new Error(`openssl ${args.join(' ')}: ${stderr}`);
  };
  const newKey = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj'];
  const selfSigned = (name: string, altName: string) => {
    const of = ['-keyout', `${name}.key`, '-out', `${name}.crt`, '-days', '2', '-addext', `subjectAltName=${altName}`];
    openssl('req', '-x509', ...newKey, `/CN=${name}`, ...of);
    return { key: read(`${name}.key`), cert: read(`${name}.crt`) };
  };
  const issued = (name: string, from: string, until: string) => {
    openssl('req', ...newKey, `/CN=${name}`, '-keyout', `${name}.key`, '-out', `${name}.csr`);
    const dates = ['-startdate', from, '-enddate', until];
    openssl('ca', '-batch', '-config', 'ca.cnf', '-in', `${name}.csr`, '-out', `${name}.crt`, ...dates);
    return { key: read(`${name}.key`), cert: read(`${name}.crt`) };
  };
  writeFileSync(file('index.txt'), '');
  writeFileSync(file('serial'), '01\n');
  writeFileSync(file('ca.cnf'), authority);
  const { cert: ca } = selfSigned('ca', 'DNS:ca.test');
  const other = selfSigned('other', 'DNS:other.test');
  return {
    selfSigned: selfSigned('self', ourAddress),
    otherName: { ...other, ca: other.cert },
    expired: { ...issued('expired', '20200101000000Z', '20200102000000Z'), ca },
    unknownIssuer: issued('unknown', '20200101000000Z', '20990101000000Z'),
  };
}

const authority = `
[ca]
default_ca = own
[own]
database = index.txt
serial = serial
new_certs_dir = .
certificate = ca.crt
private_key = ca.key
default_md = sha256
policy = any
x509_extensions = leaf
unique_subject = no
[any]
commonName = supplied
[leaf]
subjectAltName = ${ourAddress}
`;
