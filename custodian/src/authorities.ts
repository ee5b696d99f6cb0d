import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { StartError } from '@turnwire/server';

/**
 * The text of a file of authorities (PEM) that an https Orchestrator's certificate must come from.
 * @throws StartError in one line when it cannot be used, or could never be asked for
 */
export function readAuthorities(file: string, orchestratorUrl: string): string {
  if (!orchestratorUrl.startsWith('https:')) {
    throw new StartError(
      `--ca-file is for an https Orchestrator, and this one is ${orchestratorUrl}; leave it out, or set --orchestrator-url to an https:// URL`,
    );
  }
  const text = read(file);
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g) ?? [];
  if (certificates.length === 0 || !certificates.every(isCertificate)) {
    throw new StartError(`the file of authorities ${file} holds no certificates that can be read; they must be PEM`);
  }
  return text;
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new StartError(
      `the file of authorities ${file} cannot be read (${code}); set --ca-file to a file of certificates (PEM)`,
    );
  }
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).raw.length > 0;
  } catch {
    return false;
  }
}
