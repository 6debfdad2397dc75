import { Calibration } from '../../core/tokens/calibration';
import type { LedgerEntry } from '../../core/tokens/entry-weights';
import { TokenLedger } from '../../core/tokens/ledger';
import { entry, step, usage } from './entries';

const FIXED = { model: 'gpt-5', key: 'digest', system: 500, tools: 300, blocks: 0 };
const frames = (units: number): number => 7 * units;

/** A context of one prompt and some steps of 1000 tokens, measured once at its prompt and once at its end. */
function measured(steps = 10, calibration = new Calibration()): TokenLedger {
  const ledger = new TokenLedger(calibration);
  ledger.setFixed(FIXED);
  ledger.append(entry('prompt', 100));
  ledger.measure(usage(1000), 1);
  for (let at = 0; at < steps; at++) for (const one of step(0, 1000)) ledger.append(one);
  ledger.measure(usage(1000 + Math.round(steps * (1000 + frames(2.6)))), ledger.length);
  return ledger;
}

/** The kept size of the fixed part: the first measurement less its prompt. */
const KEPT = 1000 - 100 - frames(0.2);

describe('a rewritten context', () => {
  const block: LedgerEntry[] = [entry('prompt', 100), entry('text', 400)];

  it('applies no measurement of what was replaced: as after a compaction, the kept fixed part and the weight', () => {
    const ledger = measured();
    ledger.rewrite(0, block);
    const tokens = KEPT + 500 + frames(0.4);
    expect(ledger.total()).toEqual({ tokens: Math.round(tokens), margin: Math.ceil(tokens * 0.08), source: 'offset' });
    expect(ledger.at(1).source).toBe('offset');
    expect(ledger.length).toBe(2);
  });

  it('keeps the measurements of what stands before the change', () => {
    const ledger = measured();
    for (const one of step(0, 1000)) ledger.append(one);
    ledger.measure(usage(12_200), 23);
    ledger.rewrite(22, [entry('input', 10)]);
    expect(ledger.at(21)).toEqual({ tokens: 11_182, margin: 0, source: 'measured' });
    expect(ledger.total()).toEqual({
      tokens: Math.round(11_182 + 10 + frames(2.6)),
      margin: 1024,
      source: 'extrapolated',
    });
  });

  it('starts from the fixed part where next to nothing of it is measured', () => {
    const ledger = measured();
    ledger.rewrite(3, Array.from({ length: 5 }, () => step(0, 1000)).flat());
    expect(ledger.total().source).toBe('offset');
    expect(ledger.at(1).source).toBe('offset');
  });

  it('is measured anew by the next usage', () => {
    const ledger = measured();
    ledger.rewrite(0, block);
    expect(ledger.measure(usage(1500), 2)).toEqual({ outcome: 'applied' });
    expect(ledger.total()).toEqual({ tokens: 1500, margin: 0, source: 'measured' });
  });

  it('keeps what was learnt of the rates', () => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.setFixed(FIXED);
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(1000), 1);
    for (let at = 0; at < 40; at++) {
      for (const one of step(50, 450)) ledger.append(one);
      ledger.measure(usage(1000 + 650 * (at + 1)), ledger.length);
    }
    const [rate] = calibration.of('gpt-5').rates;
    expect(rate).toBeGreaterThan(1.05);
    ledger.rewrite(0, [entry('prompt', 1000)]);
    expect(calibration.of('gpt-5').rates[0]).toBe(rate);
    expect(ledger.total().tokens).toBeGreaterThan(KEPT + 1000 * 1.05);
  });

  it('does not take the output of a replaced reply', () => {
    const ledger = measured(1);
    ledger.measure(usage(2020, { outputTokens: 900 }), 3);
    ledger.append(entry('text', 600));
    expect(ledger.total().tokens).toBe(2020 + 900);
    ledger.rewrite(3, [entry('text', 5)]);
    expect(ledger.total().tokens).toBe(Math.round(2020 + 5 + frames(0.2)));
  });

  it('still takes the output of a reply that stands before the change', () => {
    const ledger = measured(1);
    ledger.measure(usage(2020, { outputTokens: 900 }), 3);
    ledger.append(entry('call', 600));
    ledger.append(entry('input', 600));
    ledger.rewrite(4, [entry('input', 5)]);
    expect(ledger.total().tokens).toBe(Math.round(2020 + 900 + 5 + frames(0.6)));
  });

  it('brings back reasoning whose prompt was taken away', () => {
    const ledger = new TokenLedger();
    ledger.setFixed(FIXED);
    for (const one of [entry('prompt', 100), entry('reasoning', 0, { opaque: 10_000 }), entry('text', 50)])
      ledger.append(one);
    ledger.measure(usage(2700), 3);
    ledger.append(entry('prompt', 10));
    expect(ledger.at(3).tokens).toBe(2700 - 1707);
    ledger.rewrite(3, []);
    expect(ledger.total().tokens).toBe(
      Math.round(824 + 100 + 1707 + 50 + frames(0.4)) + (2700 - 100 - 1707 - 50 - 824 - 3),
    );
    expect(ledger.total().source).toBe('offset');
  });

  it('of nothing is its fixed part', () => {
    const ledger = measured();
    ledger.rewrite(0, []);
    expect(ledger.total()).toMatchObject({ tokens: Math.round(KEPT), source: 'offset' });
  });
});

describe('what the requests carry beside the entries', () => {
  it('counts only as measured for the same prompt and tools', () => {
    const ledger = measured();
    ledger.setFixed(FIXED);
    expect(ledger.total().source).toBe('measured');
    ledger.setFixed({ ...FIXED, contextWindow: 400_000 });
    expect(ledger.total().source).toBe('measured');
    ledger.setFixed({ ...FIXED, key: 'other', system: 700 });
    const tokens = KEPT + 200 + 100 + frames(0.2) + 10 * (1000 + frames(2.6));
    expect(ledger.total()).toEqual({ tokens: Math.round(tokens), margin: Math.ceil(tokens * 0.08), source: 'offset' });
    ledger.setFixed({ ...FIXED, key: 'other', system: 700, tools: 0 });
    expect(ledger.total().tokens).toBe(Math.round(tokens - 300 - 24));
  });

  it('is another one with another key or another size', () => {
    for (const change of [{ key: 'other' }, { system: 501 }, { tools: 301 }, { blocks: 1 }]) {
      const ledger = measured();
      const { lineage } = ledger;
      ledger.setFixed({ ...FIXED, ...change });
      expect(ledger.total().source).toBe('offset');
      expect(ledger.lineage).toBe(lineage + 1);
    }
  });

  it('is remembered when it comes back', () => {
    const ledger = measured();
    ledger.setFixed({ ...FIXED, key: 'other', system: 100_000 });
    ledger.setFixed(FIXED);
    expect(ledger.at(0)).toMatchObject({ tokens: Math.round(KEPT), source: 'offset' });
  });

  it('adds pins and blocks to the kept size', () => {
    const ledger = measured();
    ledger.setFixed({ ...FIXED, blocks: 2000 });
    expect(ledger.at(0)).toMatchObject({ tokens: Math.round(KEPT + 2000), source: 'offset' });
    ledger.measure(usage(20_000), ledger.length);
    ledger.setFixed({ ...FIXED, blocks: 0 });
    expect(ledger.at(0).tokens).toBe(Math.round(KEPT));
  });

  it('is measured without the blocks of its first request', () => {
    const ledger = new TokenLedger();
    ledger.setFixed({ ...FIXED, blocks: 600 });
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(1600), 1);
    ledger.setFixed(FIXED);
    expect(ledger.at(0).tokens).toBe(Math.round(KEPT));
  });

  it('holds hidden text of a host, but not beyond belief where prompt and tools are known', () => {
    const first = (key: string | undefined, tokens: number): number => {
      const ledger = new TokenLedger();
      ledger.setFixed({ model: 'gpt-5', system: 500, tools: 300, blocks: 0, ...(key !== undefined && { key }) });
      ledger.append(entry('prompt', 100));
      ledger.measure(usage(tokens), 1);
      ledger.rewrite(0, []);
      return ledger.total().tokens;
    };
    expect(first('digest', 90_000)).toBe(2 * 824 + 2000);
    expect(first('digest', 200)).toBe(412);
    expect(first(undefined, 90_000)).toBe(Math.round(90_000 - 100 - frames(0.2)));
    expect(first(undefined, 200)).toBe(Math.round(200 - 100 - frames(0.2)));
    expect(first(undefined, 60)).toBe(0);
  });

  it('is kept from the first measurement alone', () => {
    const ledger = measured();
    ledger.measure(usage(40_000), ledger.length);
    ledger.rewrite(0, []);
    expect(ledger.total().tokens).toBe(Math.round(KEPT));
  });

  it('is known to other sessions of the same prompt and tools', () => {
    const calibration = new Calibration();
    measured(1, calibration);
    const other = new TokenLedger(calibration);
    other.setFixed(FIXED);
    expect(other.total()).toMatchObject({ tokens: Math.round(KEPT), source: 'offset' });
  });

  it('of a foreign session is known to that session alone', () => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(20_000, { model: 'gpt-5' }), 1);
    ledger.rewrite(0, []);
    expect(ledger.total()).toMatchObject({ tokens: Math.round(20_000 - 100 - frames(0.2)), source: 'offset' });
    const other = new TokenLedger(calibration);
    other.setFixed({ model: 'gpt-5', system: 0, tools: 0, blocks: 0 });
    expect(calibration.of('gpt-5').profile().fixed).toEqual({});
    expect(other.total()).toEqual({ tokens: 0, margin: 0, source: 'counted' });
  });
});

describe('another model', () => {
  it('takes no measurement of the one before; the measured prompt is converted by its rate', () => {
    const ledger = measured();
    ledger.setFixed({ ...FIXED, model: 'claude-sonnet-4-5' });
    const tokens = KEPT * 1.2 + 1.2 * 10_100 + 25 * (0.2 + 26);
    expect(ledger.total()).toEqual({ tokens: Math.round(tokens), margin: Math.ceil(tokens / 4), source: 'counted' });
    expect(ledger.measure(usage(13_000, { model: 'claude-sonnet-4-5-20250929' }), ledger.length).outcome).toBe(
      'applied',
    );
    expect(ledger.total().tokens).toBe(13_000);
  });

  it('counts the measured prompt by the rates of both', () => {
    const ledger = new TokenLedger();
    ledger.setFixed({ ...FIXED, model: 'claude-sonnet-4-5' });
    ledger.measure(usage(1200), 0);
    ledger.setFixed({ ...FIXED, model: 'claude-opus-4-7' });
    expect(ledger.total()).toMatchObject({ tokens: 1600, source: 'counted' });
  });

  it('of a usage figure is not that of this context', () => {
    const ledger = measured();
    const before = ledger.total();
    expect(ledger.measure(usage(5000, { model: 'gpt-5-mini' }), ledger.length)).toEqual({
      outcome: 'other-model',
      message: 'The usage of gpt-5-mini is not applied to a context for gpt-5.',
    });
    expect(ledger.total()).toEqual(before);
    expect(ledger.measure(usage(12_000, { model: 'openai/gpt-5-2025-08-07' }), ledger.length).outcome).toBe('applied');
  });

  it('is followed by a context for no model in particular', () => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.append(entry('prompt', 1000));
    expect(ledger.total().tokens).toBe(1102);
    ledger.measure(usage(3000, { model: 'gpt-5' }), 1);
    ledger.append(entry('input', 1000));
    expect(ledger.total().tokens).toBe(Math.round(4000 + frames(0.6)));
    ledger.measure(usage(4500, { model: 'claude-opus-4-5' }), 2);
    expect(ledger.at(1).source).toBe('interpolated');
    ledger.append(entry('input', 1000));
    expect(ledger.total().tokens).toBe(Math.round(4500 + 1200 + 25 * 0.6));
  });
});

describe('figures of a provider', () => {
  it.each([
    ['missing', undefined, 'The provider reported no input tokens; the size of the context is estimated.'],
    ['missing', null, 'The provider reported no input tokens; the size of the context is estimated.'],
    ['missing', 0, 'The provider reported no input tokens; the size of the context is estimated.'],
    ['implausible', NaN, 'The provider reported NaN as input tokens; the figure is ignored.'],
    ['implausible', -5, 'The provider reported -5 as input tokens; the figure is ignored.'],
    ['implausible', Infinity, 'The provider reported Infinity as input tokens; the figure is ignored.'],
    ['implausible', '3000', 'The provider reported a string as input tokens; the figure is ignored.'],
    [
      'implausible',
      192_001,
      'The provider reported 192001 input tokens where about 11182 were expected; the figure is ignored.',
    ],
    [
      'implausible',
      559,
      'The provider reported 559 input tokens where about 11182 were expected; the figure is ignored.',
    ],
  ])('are %s and change nothing: %p', (outcome, tokens, message) => {
    const ledger = measured();
    const before = ledger.total();
    expect(ledger.measure(usage(tokens), ledger.length)).toEqual({ outcome, message });
    expect(ledger.total()).toEqual(before);
  });

  it('may exceed what was expected within one and a half windows', () => {
    const ledger = measured();
    expect(ledger.measure(usage(192_000), ledger.length).outcome).toBe('applied');
    const small = measured();
    small.setFixed({ ...FIXED, contextWindow: 8000 });
    expect(small.measure(usage(16_774), small.length).outcome).toBe('implausible');
    expect(small.measure(usage(16_773), small.length).outcome).toBe('applied');
  });

  it('of a context that has changed since are not applied', () => {
    const ledger = measured();
    const { lineage } = ledger;
    ledger.rewrite(0, [entry('prompt', 10)]);
    expect(ledger.lineage).not.toBe(lineage);
    const stale = {
      outcome: 'stale',
      message: 'The usage was measured on another context; it is not applied to this one.',
    };
    expect(ledger.measure(usage(900), 1, lineage)).toEqual(stale);
    for (const entries of [2, -1, 0.5, NaN]) expect(ledger.measure(usage(900), entries)).toEqual(stale);
    expect(ledger.total().source).toBe('offset');
    expect(ledger.measure(usage(900), 1, ledger.lineage).outcome).toBe('applied');
  });

  it('that fall without a recorded reason start anew', () => {
    const ledger = measured();
    const { lineage } = ledger;
    expect(ledger.measure(usage(10_800), ledger.length)).toEqual({
      outcome: 'new-lineage',
      message: 'The context fell from 11182 to 10800 tokens without a recorded reason.',
    });
    expect(ledger.lineage).not.toBe(lineage);
    expect(ledger.total()).toEqual({ tokens: 10_800, margin: 0, source: 'measured' });
    expect(ledger.at(1).source).toBe('interpolated');
  });

  it('that fall by three percent or less are a correction', () => {
    const ledger = measured();
    expect(ledger.measure(usage(10_847), ledger.length)).toEqual({ outcome: 'applied' });
    expect(ledger.at(1)).toEqual({ tokens: 1000, margin: 0, source: 'measured' });
  });

  it('that fall by exactly three percent are a correction', () => {
    const ledger = measured();
    ledger.measure(usage(20_000), ledger.length);
    expect(ledger.measure(usage(19_400), ledger.length).outcome).toBe('applied');
    ledger.measure(usage(20_000), ledger.length);
    expect(ledger.measure(usage(19_399), ledger.length).outcome).toBe('new-lineage');
  });

  it('that arrive late for a shorter context are applied there', () => {
    const ledger = measured();
    expect(ledger.measure(usage(5000), 5)).toEqual({ outcome: 'applied' });
    expect(ledger.at(5)).toEqual({ tokens: 5000, margin: 0, source: 'measured' });
    expect(ledger.total()).toEqual({ tokens: 11_182, margin: 0, source: 'measured' });
  });
});

describe('what the ledger learns', () => {
  const learn = (entries: LedgerEntry[], tokens: number): readonly number[] => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.setFixed(FIXED);
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(1000), 1);
    for (const one of entries) ledger.append(one);
    ledger.measure(usage(1000 + tokens), ledger.length);
    return calibration.of('gpt-5').rates;
  };

  it('are rates from the growth between two measurements', () => {
    const [rate, frame, prompt] = learn([...step(0, 1000), entry('prompt', 10)], 1500) as [number, number, number];
    expect(rate).toBeGreaterThan(1);
    expect(frame).toBeGreaterThan(7);
    expect(prompt).toBeGreaterThan(0);
  });

  it('is nothing from images, from next to no text, or from a context that did not grow', () => {
    expect(learn([entry('input', 1000, { images: 10 })], 1500)).toEqual([1, 7, 0]);
    expect(learn([entry('input', 9)], 1500)).toEqual([1, 7, 0]);
    expect(learn([entry('input', 1000)], 0)).toEqual([1, 7, 0]);
    expect(learn([entry('input', 10)], 1500)).not.toEqual([1, 7, 0]);
  });

  it('is nothing from growth that reasoning explains', () => {
    expect(learn([entry('reasoning', 0, { opaque: 10_000 }), entry('input', 100)], 1500)).toEqual([1, 7, 0]);
  });

  it('is what reasoning costs, from the figures of its replies', () => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.setFixed(FIXED);
    ledger.append(entry('prompt', 100));
    let tokens = 1000;
    for (let at = 0; at < 30; at++) {
      ledger.measure(usage(tokens, { outputTokens: 1050, reasoningTokens: 1000 }), ledger.length);
      ledger.append(entry('reasoning', 0, { opaque: 4000 }));
      ledger.append(entry('call', 36));
      ledger.append(entry('input', 100));
      tokens += 1000 + 7 + 50 + 104;
    }
    const model = calibration.of('gpt-5');
    expect(model.opaque.expect([4000, 1])).toBeGreaterThan(950);
    expect(model.opaque.expect([4000, 1])).toBeLessThan(1050);
    const before = ledger.total().tokens;
    ledger.append(entry('reasoning', 0, { opaque: 4000 }));
    expect(Math.abs(ledger.total().tokens - before - 1007)).toBeLessThan(50);
  });
});
