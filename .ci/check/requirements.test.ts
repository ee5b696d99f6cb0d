import { describe, expect, it } from 'vitest';
import { findingsIn, problemsIn } from './repository.ts';
import { requirements } from './requirements.ts';

const id = (number: string) => `TW-${'GEN'}-${number}`;
const prose = (...lines: string[]) => ({ 'spec/protocol.md': `${lines.join('\n')}\n` });
const good = `- **${id('001')}** A role MUST answer.`;

describe('requirements', () => {
  it('holds for prose in which each requirement has its id', async () => {
    const intro = 'MUST and SHOULD are to be read as in RFC 2119, in upper case only.';
    expect(await problemsIn(requirements, prose(intro, '', good))).toEqual([]);
  });

  it('catches a normative sentence without an id', async () => {
    const [problem] = await problemsIn(requirements, prose(good, '', 'A client SHOULD wait,', 'and look.'));
    expect(problem).toContain('spec/protocol.md:3: give the normative sentence an id');
  });

  it('catches an id that is given twice', async () => {
    expect(await problemsIn(requirements, prose(good, good))).toEqual([
      `spec/protocol.md:2: ${id('001')} is given twice: take a free number`,
    ]);
  });

  it('catches an id that requires nothing, and one that requires twice', async () => {
    const nothing = `- **${id('002')}** A role answers.`;
    const twice = `- **${id('003')}** A role MUST answer. It MUST be quick.`;
    const problems = await problemsIn(requirements, prose(nothing, twice));
    expect(problems).toHaveLength(2);
    expect(problems.join()).toMatch(/requires nothing.*holds 2 normative sentences/);
  });

  it('catches a test, a source and a vector that name an unknown id', async () => {
    const named = `// ${id('404')}\n`;
    const files = { ...prose(good), 'a/x.test.ts': named, 'a/x.ts': named, 'spec/vectors/x.json': named };
    expect(await problemsIn(requirements, files)).toHaveLength(3);
  });

  it('catches a document that requires something without an id', async () => {
    const files = {
      ...prose(good),
      'spec/openapi/a.yaml': `description: A client MUST wait.\nx: It MAY (${id('001')}).\n`,
    };
    const [problem, ...more] = await problemsIn(requirements, files);
    expect(problem).toContain('spec/openapi/a.yaml:1: a normative sentence without an id');
    expect(more).toEqual([]);
  });

  it('takes a case for a test, and the list of what no case looks at for none', async () => {
    const cases = 'contract-tests/cases';
    const listed = { ...prose(good), [`${cases}/exclusions.yaml`]: `- what: ${id('001')}\n` };
    expect((await findingsIn(requirements, listed)).notes?.[0]).toMatch(/^0 of 1/);
    const tested = { ...listed, [`${cases}/harness/a.yaml`]: `requirements: [${id('001')}]\n` };
    expect((await findingsIn(requirements, tested)).notes?.[0]).toMatch(/^1 of 1/);
  });

  it('lists what no test names, without failing', async () => {
    const second = `- **${id('002')}** A role MAY sleep.`;
    const files = { ...prose(good, second), 'x.test.ts': `it('${id('001')}')` };
    const { problems, notes } = await findingsIn(requirements, files);
    expect(problems).toEqual([]);
    expect(notes).toEqual([`1 of 2 requirements are named by a test or a vector; not by any: ${id('002')}`]);
  });
});
