import { describe, expect, it } from 'vitest';
import { contractBody, forContractAgent, scriptOf } from './contract-agent.ts';
import { loadHarnessCases } from './load.ts';

describe('the script of a contract agent', () => {
  it('is what the rules of a model would answer, step by step, to its last word', () => {
    const rules = [
      { when: { step: 1 }, reply: { toolCalls: [{ name: 'note', input: { text: 'a' } }] } },
      { when: { called: { note: 1 } }, reply: { text: 'Done.', usage: { inputTokens: 1 } } },
    ];
    expect(scriptOf(rules, 'go')).toEqual([
      { picks: [{ name: 'note', input: { text: 'a' } }] },
      { text: 'Done.', usage: { inputTokens: 1 } },
    ]);
  });

  it('follows the message of its admission, and ends with a hang', () => {
    const rules = [{ when: { lastMessage: 'hold' }, reply: { hang: true } }, { reply: { text: 'Done.' } }];
    expect(scriptOf(rules, 'please hold')).toEqual([{ hang: true }]);
    expect(scriptOf(rules, 'go')).toEqual([{ text: 'Done.' }]);
    expect(JSON.parse(String(contractBody(rules, 'go', '[[x]]').message))).toEqual({
      steps: [{ text: 'Done.' }],
      say: 'go [[x]]',
    });
  });

  it('does not say what only a broken model would', () => {
    expect(scriptOf([{ reply: { toolCalls: [{ name: 'note', rawArguments: '{' }] } }], 'go')).toBeUndefined();
  });
});

describe('the cases', () => {
  const cases = loadHarnessCases();
  const asked = cases.filter((of) => forContractAgent(of) !== undefined).map(({ id }) => id);

  it('are asked of it, but those about what a model is told', () => {
    const left = cases.map(({ id }) => id).filter((id) => !asked.includes(id));
    expect(left).toContain('turn.what_the_model_is_told');
    expect(left).toContain('turn.provider_errors');
    expect(left.length).toBeLessThan(20);
  });

  it('look at its history for the results of its picks', () => {
    const of = cases.find(({ id }) => id === 'turn.answer_is_told');
    const steps = of && forContractAgent(of)?.steps;
    expect(steps?.at(-1)?.arrived).toMatchObject({ results: [{ $includes: 'blue' }] });
    expect(steps?.[0]?.admit).toMatchObject({ name: 'contract' });
  });
});
