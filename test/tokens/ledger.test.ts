import { Calibration } from '../../core/tokens/calibration';
import type { LedgerEntry } from '../../core/tokens/entry-weights';
import { TokenLedger } from '../../core/tokens/ledger';
import { entry, step, usage } from './entries';

const FIXED = { model: 'gpt-5', key: 'digest', system: 500, tools: 300, blocks: 0 };

/** A ledger for a model with a rate of 1, a frame of 7 and no cost of prompts, which counts its entries plainly. */
function ledgerOf(entries: readonly LedgerEntry[], calibration = new Calibration()): TokenLedger {
  const ledger = new TokenLedger(calibration);
  ledger.setFixed(FIXED);
  for (const one of entries) ledger.append(one);
  return ledger;
}

/** Cost of wrapping, in tokens, by frame units. */
const frames = (units: number): number => 7 * units;

describe('a context without a measurement', () => {
  it('is counted: fixed part and entries with their wrapping, a quarter of it uncertain', () => {
    const ledger = ledgerOf([entry('prompt', 100), entry('call', 40), entry('input', 1000), entry('text', 60)]);
    const tokens = 500 + 300 + 24 + 1200 + frames(0.2 + 2 + 0.6 + 0.2);
    expect(ledger.total()).toEqual({ tokens, margin: Math.ceil(tokens / 4), source: 'counted' });
    expect(ledger.at(0)).toEqual({ tokens: 824, margin: 206, source: 'counted' });
    expect(ledger.length).toBe(4);
  });

  it('covers pins and blocks, images and reasoning', () => {
    const ledger = ledgerOf([
      entry('input', 10, { images: 1600 }),
      entry('reasoning', 0, { opaque: 1000 }),
      entry('reasoning', 50),
    ]);
    ledger.setFixed({ ...FIXED, blocks: 200 });
    expect(ledger.total().tokens).toBe(Math.round(824 + 200 + 10 + 1600 + frames(0.6) + 170 + frames(1) + 50));
  });

  it('carries no share of tools where there are none', () => {
    const ledger = new TokenLedger();
    ledger.setFixed({ model: 'gpt-5', key: 'digest', system: 500, tools: 0, blocks: 0 });
    expect(ledger.total().tokens).toBe(500);
  });

  it('takes an item of readable and opaque reasoning at the larger of both', () => {
    expect(ledgerOf([entry('reasoning', 100, { opaque: 1000 })]).total().tokens).toBe(824 + 177);
    expect(ledgerOf([entry('reasoning', 171, { opaque: 1000 })]).total().tokens).toBe(824 + 171);
  });
});

describe('a measured context', () => {
  const measured = (): TokenLedger => {
    const ledger = ledgerOf([entry('prompt', 100), ...step(40, 1000)]);
    expect(ledger.measure(usage(3000), 3)).toEqual({ outcome: 'applied' });
    return ledger;
  };

  it('is what the provider says, without a margin', () => {
    expect(measured().total()).toEqual({ tokens: 3000, margin: 0, source: 'measured' });
  });

  it('grows by the weight of what follows', () => {
    const ledger = measured();
    ledger.append(entry('call', 100));
    ledger.append(entry('input', 10_000));
    expect(ledger.total()).toEqual({
      tokens: Math.round(3000 + 10_100 + frames(2.6)),
      margin: Math.ceil((10_100 + frames(2.6)) / 4),
      source: 'extrapolated',
    });
    expect(ledger.at(3)).toEqual({ tokens: 3000, margin: 0, source: 'measured' });
    expect(ledger.at(4)).toEqual({ tokens: 3114, margin: 1024, source: 'extrapolated' });
  });

  it('is divided among its entries by weight before the first measurement', () => {
    const ledger = measured();
    expect(ledger.at(2)).toEqual({
      tokens: Math.round(3000 - 1000 - frames(0.6)),
      margin: 1024,
      source: 'interpolated',
    });
    expect(ledger.at(0).tokens).toBe(Math.round(3000 - 1140 - frames(2.8)));
  });

  it('is never divided below nothing', () => {
    const ledger = ledgerOf([entry('prompt', 100), entry('input', 4000), entry('input', 100)]);
    ledger.measure(usage(1000), 3);
    expect(ledger.at(1)).toEqual({ tokens: 0, margin: 1024, source: 'interpolated' });
  });

  it('spreads measured growth between two measurements by weight', () => {
    const ledger = measured();
    // Images keep the growth from teaching rates.
    for (const images of [986, 2986]) {
      ledger.append(entry('call', 0));
      ledger.append(entry('input', 0, { images }));
    }
    ledger.measure(usage(33_000), 7);
    const whole = 986 + 2986 + frames(5.2);
    const first = (30_000 * (986 + frames(2.6))) / whole;
    expect(ledger.at(5)).toEqual({
      tokens: Math.round(3000 + first),
      margin: Math.ceil(first / 4),
      source: 'interpolated',
    });
    // The nearer of two measurements bounds the margin.
    const last = (30_000 * (2986 + frames(0.6))) / whole;
    expect(ledger.at(6)).toMatchObject({ tokens: Math.round(33_000 - last), margin: Math.ceil((30_000 - last) / 4) });
    expect(ledger.between(3, 7)).toBe(30_000);
    expect(ledger.between(5)).toBeCloseTo(30_000 - first, 6);
  });

  it('is nearest to the measurement behind it at the end', () => {
    const ledger = measured();
    ledger.append(entry('input', 0, { images: 8000 }));
    ledger.append(entry('input', 0, { images: 2000 }));
    ledger.measure(usage(43_000), 5);
    const last = (40_000 * (2000 + frames(0.6))) / (10_000 + frames(1.2));
    expect(ledger.at(4)).toEqual({
      tokens: Math.round(43_000 - last),
      margin: Math.ceil(last / 4),
      source: 'interpolated',
    });
  });

  it('does not divide by nothing where entries weigh nothing', () => {
    const calibration = new Calibration();
    const model = calibration.of('gpt-5');
    expect(
      model.text.restore({
        rates: [1, 0, 0],
        covariance: [
          [1, 0, 0],
          [0, 1, 0],
          [0, 0, 1],
        ],
      }),
    ).toBe(true);
    const ledger = ledgerOf([entry('prompt', 100), entry('input', 0), entry('input', 0)], calibration);
    ledger.measure(usage(1000), 1);
    ledger.measure(usage(1200), 3);
    expect(ledger.at(2).tokens).toBe(1000);
  });

  it('trusts the newest figure where figures contradict each other a little', () => {
    const ledger = measured();
    ledger.append(entry('text', 50));
    expect(ledger.measure(usage(2950), 4)).toEqual({ outcome: 'applied' });
    expect(ledger.total()).toEqual({ tokens: 2950, margin: 0, source: 'measured' });
    expect(ledger.at(3).tokens).toBeLessThan(2950);
  });
});

describe('the reply to a measured request', () => {
  const asked = (more: object): TokenLedger => {
    const ledger = ledgerOf([entry('prompt', 100)]);
    ledger.measure(usage(2000, more), 1);
    ledger.append(entry('text', 50));
    ledger.append(entry('call', 100));
    return ledger;
  };
  const counted = 150 + frames(2.2);

  it('counts what the provider says it produced', () => {
    const ledger = asked({ outputTokens: 250 });
    expect(ledger.total().tokens).toBe(2250);
    expect(ledger.at(2).tokens).toBe(Math.round(2000 + (250 * (50 + frames(0.2))) / counted));
    ledger.append(entry('input', 1000));
    expect(ledger.total().tokens).toBe(Math.round(2000 + 250 + 1000 + frames(0.6)));
  });

  it('is counted where the figure is partial, missing or cannot be', () => {
    const plain = Math.round(2000 + counted);
    expect(asked({ outputTokens: 250, outputFinal: false }).total().tokens).toBe(plain);
    expect(asked({}).total().tokens).toBe(plain);
    expect(asked({ outputTokens: NaN }).total().tokens).toBe(plain);
    expect(asked({ outputTokens: '250' }).total().tokens).toBe(plain);
    expect(asked({ outputTokens: Math.floor(0.7 * counted) }).total().tokens).toBe(plain);
    expect(asked({ outputTokens: Math.ceil(0.7 * counted) }).total().tokens).toBe(2000 + Math.ceil(0.7 * counted));
  });

  it('does not count reasoning that is reported and not sent again', () => {
    expect(asked({ outputTokens: 5250, reasoningTokens: 5000 }).total().tokens).toBe(2250);
  });

  it('does not count reasoning that hides in the figure', () => {
    expect(asked({ outputTokens: 5000 }).total().tokens).toBe(Math.round(2000 + counted));
    expect(asked({ outputTokens: Math.floor(2 * counted + 256) }).total().tokens).toBe(
      2000 + Math.floor(2 * counted + 256),
    );
  });

  it('counts reasoning that is sent again as it is reported', () => {
    const ledger = ledgerOf([entry('prompt', 100)]);
    ledger.measure(usage(2000, { outputTokens: 700, reasoningTokens: 448 }), 1);
    ledger.append(entry('reasoning', 0, { opaque: 5000 }));
    ledger.append(entry('call', 100));
    expect(ledger.total().tokens).toBe(2700 + frames(1));
    ledger.append(entry('input', 10));
    expect(ledger.total().tokens).toBe(Math.round(2710 + frames(1.6)));
  });

  it('may be any size where its reasoning is reported or sent again', () => {
    expect(asked({ outputTokens: 5000, reasoningTokens: 100 }).total().tokens).toBe(6900);
    const ledger = ledgerOf([entry('prompt', 100)]);
    ledger.measure(usage(2000, { outputTokens: 5000 }), 1);
    for (const one of [entry('reasoning', 30), entry('text', 50)]) ledger.append(one);
    expect(ledger.total().tokens).toBe(7000);
  });

  it('holds no reasoning where none is reported', () => {
    const ledger = ledgerOf([entry('prompt', 100)]);
    ledger.measure(usage(2000, { outputTokens: 60, reasoningTokens: 0 }), 1);
    for (const one of [entry('reasoning', 0, { opaque: 400 }), entry('text', 50)]) ledger.append(one);
    expect(ledger.total().tokens).toBe(2060 + frames(1));
  });

  it('shares reported reasoning among the items that hold it', () => {
    const ledger = ledgerOf([entry('prompt', 100)]);
    ledger.measure(usage(2000, { outputTokens: 760, reasoningTokens: 600 }), 1);
    ledger.append(entry('reasoning', 0, { opaque: 1999 }));
    ledger.append(entry('text', 130));
    ledger.append(entry('reasoning', 0, { opaque: 999 }));
    expect(ledger.between(1, 2)).toBeCloseTo(400 + frames(1), 6);
    expect(ledger.between(3, 4)).toBeCloseTo(200 + frames(1), 6);
  });

  it('ends with the first entry that is not part of it', () => {
    const ledger = asked({ outputTokens: 250 });
    ledger.append(entry('input', 10));
    ledger.append(entry('text', 500));
    expect(ledger.total().tokens).toBe(Math.round(2250 + 510 + frames(0.8)));
  });

  it('is measured by the next request', () => {
    const ledger = asked({ outputTokens: 250 });
    ledger.append(entry('input', 10));
    ledger.measure(usage(2300), 4);
    expect(ledger.total().tokens).toBe(2300);
    expect(ledger.at(3).source).toBe('interpolated');
  });
});

describe('reasoning of earlier turns', () => {
  const twoTurns = (model: string): TokenLedger => {
    const ledger = new TokenLedger();
    ledger.setFixed({ ...FIXED, model });
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(2000, { outputTokens: 3100, reasoningTokens: 3000 }), 1);
    ledger.append(entry('reasoning', 0, { opaque: 20_000 }));
    ledger.append(entry('call', 80));
    ledger.append(entry('input', 400));
    ledger.measure(usage(5500, { outputTokens: 60, reasoningTokens: 0 }), 4);
    ledger.append(entry('text', 50));
    return ledger;
  };

  it('is dropped at the next prompt by a provider that drops it', () => {
    const ledger = twoTurns('gpt-5');
    expect(ledger.total().tokens).toBe(5560);
    ledger.append(entry('prompt', 20));
    const { tokens, source, margin } = ledger.total();
    expect(source).toBe('extrapolated');
    expect(Math.abs(tokens - (5560 - 3000 - frames(1) + 20))).toBeLessThan(30);
    expect(margin).toBe(1024);
    expect(ledger.at(4)).toMatchObject({ tokens: 5500 - 3000 - 7, source: 'interpolated' });
    expect(ledger.at(1)).toEqual({ tokens: 2000, margin: 0, source: 'measured' });
  });

  it('is uncertain by a quarter once it was dropped by estimate', () => {
    const ledger = new TokenLedger();
    ledger.setFixed(FIXED);
    ledger.append(entry('prompt', 100));
    ledger.append(entry('reasoning', 0, { opaque: 100_000 }));
    ledger.append(entry('text', 50));
    ledger.append(entry('input', 50));
    ledger.measure(usage(22_000), 4);
    ledger.append(entry('prompt', 20));
    expect(ledger.at(4)).toEqual({ tokens: 22_000 - 17_007, margin: Math.ceil(17_007 / 4), source: 'interpolated' });
    expect(ledger.total().margin).toBe(Math.ceil((17_007 + 20 + frames(0.2)) / 4));
  });

  it('stays with a provider that keeps it', () => {
    const ledger = twoTurns('claude-sonnet-4-5');
    const before = ledger.total().tokens;
    ledger.append(entry('prompt', 20));
    expect(ledger.total().tokens).toBeGreaterThan(before);
  });

  it('is believed to be kept once a measurement shows it', () => {
    const ledger = twoTurns('gpt-5');
    ledger.append(entry('prompt', 20));
    ledger.measure(usage(5600, { outputTokens: 3050, reasoningTokens: 3000 }), 6);
    ledger.append(entry('reasoning', 0, { opaque: 20_000 }));
    ledger.append(entry('text', 40));
    ledger.append(entry('prompt', 30));
    expect(ledger.total().tokens).toBeGreaterThan(8600);
    expect(ledger.total().tokens).toBeLessThan(8800);
  });

  it('is believed to be dropped once a measurement shows it', () => {
    const ledger = twoTurns('claude-sonnet-4-5');
    ledger.append(entry('prompt', 20));
    expect(ledger.measure(usage(2600, { outputTokens: 3050, reasoningTokens: 3000 }), 6)).toEqual({
      outcome: 'applied',
    });
    ledger.append(entry('reasoning', 0, { opaque: 20_000 }));
    ledger.append(entry('text', 40));
    expect(ledger.total().tokens).toBeGreaterThan(5600);
    ledger.append(entry('prompt', 30));
    expect(ledger.total().tokens).toBeLessThan(2800);
  });

  it('is known by its reported size, not by its length', () => {
    const calibration = new Calibration();
    const ledger = new TokenLedger(calibration);
    ledger.setFixed({ ...FIXED, model: 'claude-sonnet-4-5' });
    ledger.append(entry('prompt', 100));
    ledger.measure(usage(2000, { outputTokens: 3060, reasoningTokens: 3000 }), 1);
    for (const one of [
      entry('reasoning', 0, { opaque: 2000 }),
      entry('text', 50),
      entry('prompt', 100),
      entry('input', 100),
    ])
      ledger.append(one);
    ledger.measure(usage(2350), 5);
    expect(calibration.of('claude-sonnet-4-5').reasoning).toBe('dropped');
  });

  it('is passed once, by the prompt that ends its turn', () => {
    const ledger = new TokenLedger();
    ledger.setFixed({ ...FIXED, model: 'claude-sonnet-4-5' });
    for (const one of [entry('prompt', 100), entry('reasoning', 0, { opaque: 5000 }), entry('text', 50)])
      ledger.append(one);
    ledger.measure(usage(9000), 3);
    for (const one of [entry('prompt', 10), entry('input', 10), entry('input', 10), entry('input', 10)])
      ledger.append(one);
    const expected = ledger.total().tokens;
    expect(ledger.measure(usage(expected - 4 * 875), 7).outcome).toBe('new-lineage');
  });

  it('of little size proves nothing', () => {
    const calibration = new Calibration();
    const ledger = ledgerOf(
      [entry('prompt', 100), entry('reasoning', 0, { opaque: 4000 }), entry('text', 50), entry('prompt', 10)],
      calibration,
    );
    ledger.measure(usage(2000), 4);
    for (const one of [entry('reasoning', 0, { opaque: 5000 }), entry('text', 50), entry('prompt', 10)])
      ledger.append(one);
    ledger.measure(usage(2920), 7);
    expect(calibration.of('gpt-5').reasoning).toBe('dropped');
  });
});
