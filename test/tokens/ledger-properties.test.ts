import fc from 'fast-check';
import { Calibration } from '../../core/tokens/calibration';
import type { EntryShape } from '../../core/tokens/entry-shape';
import type { LedgerEntry } from '../../core/tokens/entry-weights';
import { TokenLedger } from '../../core/tokens/ledger';
import { entry, usage } from './entries';

const anyEntry: fc.Arbitrary<LedgerEntry> = fc
  .record({
    shape: fc.constantFrom<EntryShape>('prompt', 'input', 'text', 'call', 'reasoning'),
    text: fc.oneof(fc.nat(40), fc.nat(5000)),
    images: fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3000) }),
    opaque: fc.oneof(fc.constant(0), fc.nat(20_000)),
  })
  .map(({ shape, text, images, opaque }) => entry(shape, text, { images, opaque: shape === 'reasoning' ? opaque : 0 }));

type Step =
  | { readonly do: 'append'; readonly entries: readonly LedgerEntry[] }
  | {
      readonly do: 'measure';
      readonly factor: number;
      readonly back: number;
      readonly output: number;
      readonly reasoning: number | undefined;
    }
  | { readonly do: 'rewrite'; readonly keep: number; readonly entries: readonly LedgerEntry[] }
  | { readonly do: 'fix'; readonly blocks: number; readonly key: string };

const entries = fc.array(anyEntry, { maxLength: 8 });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ do: fc.constant('append' as const), entries }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('measure' as const),
      factor: fc.double({ min: 0.5, max: 1.5, noNaN: true }),
      back: fc.oneof(fc.constant(0), fc.nat(4)),
      output: fc.nat(4000),
      reasoning: fc.option(fc.nat(2000), { nil: undefined }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('rewrite' as const),
      keep: fc.double({ min: 0, max: 1, noNaN: true }),
      entries,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('fix' as const), blocks: fc.nat(3000), key: fc.constantFrom('a', 'b') }),
  },
);
const history = fc.record({
  model: fc.constantFrom('gpt-5', 'claude-sonnet-4-5', 'unheard-of'),
  steps: fc.array(anyStep, { maxLength: 25 }),
});

/** Plays a history; `entries` are those of the context at its end. */
function play(
  { model, steps }: { readonly model: string; readonly steps: readonly Step[] },
  calibration = new Calibration(),
  after: (ledger: TokenLedger, step: Step) => void = () => undefined,
): { readonly ledger: TokenLedger; readonly entries: readonly LedgerEntry[] } {
  const ledger = new TokenLedger(calibration);
  let present: LedgerEntry[] = [];
  ledger.setFixed({ model, key: 'a', system: 400, tools: 900, blocks: 0 });
  for (const step of steps) {
    if (step.do === 'append') {
      for (const one of step.entries) ledger.append(one);
      present.push(...step.entries);
    } else if (step.do === 'measure') {
      const length = Math.max(0, ledger.length - step.back);
      const tokens = Math.max(1, Math.round(ledger.at(length).tokens * step.factor));
      const figures = {
        outputTokens: step.output,
        ...(step.reasoning !== undefined && { reasoningTokens: step.reasoning }),
      };
      const { outcome } = ledger.measure(usage(tokens, figures), length);
      expect(['applied', 'new-lineage']).toContain(outcome);
      expect(ledger.at(length)).toEqual({ tokens, margin: 0, source: 'measured' });
    } else if (step.do === 'rewrite') {
      const from = Math.floor(step.keep * ledger.length);
      ledger.rewrite(from, step.entries);
      present = [...present.slice(0, from), ...step.entries];
    } else ledger.setFixed({ model, key: step.key, system: 400, tools: 900, blocks: step.blocks });
    after(ledger, step);
  }
  return { ledger, entries: present };
}

describe('the occupancy of any context', () => {
  it('grows with its entries, is finite, and knows how far it may be off', () => {
    fc.assert(
      fc.property(history, (played) => {
        play(played, new Calibration(), (ledger) => {
          let before = -1;
          for (let length = 0; length <= ledger.length; length++) {
            const { tokens, margin, source } = ledger.at(length);
            expect(tokens).toBeGreaterThanOrEqual(before);
            expect(Number.isInteger(tokens) && Number.isInteger(margin) && margin >= 0).toBe(true);
            expect(margin === 0 && tokens > 0 ? source : 'measured').toBe('measured');
            before = tokens;
          }
        });
      }),
      { numRuns: 150 },
    );
  });

  it('is as long as its entries, and the sum of them and the fixed part', () => {
    fc.assert(
      fc.property(history, (played) => {
        const { ledger, entries: present } = play(played);
        expect(ledger.length).toBe(present.length);
        let sum = 0;
        for (let index = 0; index < ledger.length; index++) sum += ledger.between(index, index + 1);
        expect(sum).toBeCloseTo(ledger.between(0), 3);
        expect(Math.abs(ledger.at(0).tokens + sum - ledger.total().tokens)).toBeLessThanOrEqual(1);
      }),
    );
  });

  it('is that of a fresh ledger with the same entries and knowledge, where nothing is measured', () => {
    fc.assert(
      fc.property(history, entries, (played, next) => {
        const calibration = new Calibration();
        const { ledger } = play(played, calibration);
        const part = { model: played.model, key: 'a', system: 400, tools: 900, blocks: 100 };
        const foreseen = ledger.foresee(part, next);
        ledger.setFixed(part);
        ledger.rewrite(0, next);
        expect(foreseen.total()).toEqual(ledger.total());
        const plain = new TokenLedger(calibration);
        plain.setFixed({ ...part, key: 'never seen' });
        for (const one of next) plain.append(one);
        expect(plain.between(0)).toBeCloseTo(ledger.between(0), 3);
      }),
    );
  });

  it('is not changed by looking ahead', () => {
    fc.assert(
      fc.property(history, entries, (played, next) => {
        const { ledger } = play(played);
        const before = [ledger.total(), ledger.lineage, ledger.length];
        ledger.foresee({ model: 'other', system: 1, tools: 2, blocks: 3 }, next).measure(usage(5000), 0);
        ledger.weigh(next);
        expect([ledger.total(), ledger.lineage, ledger.length]).toEqual(before);
      }),
    );
  });
});

describe('what was learnt', () => {
  it('is the same before and after a rewrite', () => {
    fc.assert(
      fc.property(history, entries, (played, next) => {
        const calibration = new Calibration();
        const { ledger } = play(played, calibration);
        const before = JSON.stringify(calibration.profile());
        ledger.rewrite(0, next);
        expect(JSON.stringify(calibration.profile())).toBe(before);
      }),
    );
  });

  it('can always be kept and restored', () => {
    fc.assert(
      fc.property(history, (played) => {
        const calibration = new Calibration();
        play(played, calibration);
        const restored = new Calibration();
        expect(restored.restore(JSON.parse(JSON.stringify(calibration.profile())))).toEqual([]);
        expect(restored.profile()).toEqual(calibration.profile());
      }),
    );
  });
});
