import fc from 'fast-check';
import { Regression, type Coefficient, type Noise } from '../../core/tokens/regression';

const noise: Noise = { relative: 0.1, absolute: 20, huber: 1.5 };
const slope: Coefficient = { start: 1, variance: 0.04, drift: 0, min: 0.5, max: 2 };
const offset: Coefficient = { start: 10, variance: 100, drift: 0, min: 0, max: 50 };

const regression = (): Regression => new Regression([slope, offset], noise);

describe('a regression', () => {
  it('expects what its rates say', () => {
    expect(regression().rates).toEqual([1, 10]);
    expect(regression().expect([100, 2])).toBe(120);
  });

  it('comes to the true rates from what it observes', () => {
    const learner = regression();
    for (let at = 0; at < 400; at++) {
      const features = [50 + ((at * 37) % 400), 1 + (at % 7)];
      learner.observe(features, 1.3 * (features[0] as number) + 25 * (features[1] as number));
    }
    expect(learner.rates[0]).toBeCloseTo(1.3, 2);
    expect(Math.abs((learner.rates[1] as number) - 25)).toBeLessThan(1);
  });

  it('moves by the gain of a plain least-squares step while the surprise is small', () => {
    const learner = new Regression([slope], { relative: 0, absolute: 10, huber: 1.5 });
    learner.observe([10], 11);
    // gain = 0.04·10 / (10² + 10·0.04·10)
    expect(learner.rates[0]).toBeCloseTo(1 + 0.4 / 104, 12);
    expect(learner.state().covariance[0]?.[0]).toBeCloseTo(0.04 - (0.4 / 104) * 0.4, 12);
  });

  it('takes large surprises only in part', () => {
    const learner = new Regression([slope], { relative: 0, absolute: 10, huber: 1.5 });
    learner.observe([10], 110);
    // weight = 15 / 100
    expect(learner.rates[0]).toBeCloseTo(1 + (0.4 / (100 / 0.15 + 4)) * 100, 12);
  });

  it('expects more scatter where more is expected', () => {
    const learner = new Regression([slope], { relative: 0.1, absolute: 10, huber: 1e9 });
    learner.observe([100], 101);
    expect(learner.rates[0]).toBeCloseTo(1 + 4 / (20 ** 2 + 400), 12);
  });

  it('does not let a negative expectation lessen the scatter', () => {
    const learner = new Regression([{ ...slope, start: -1, min: -5 }], { relative: 0.1, absolute: 10, huber: 1e9 });
    learner.observe([100], -100 + 8);
    expect(learner.rates[0]).toBeCloseTo(-1 + (4 / (100 + 400)) * 8, 12);
  });

  it('follows a change the faster the more drift is allowed', () => {
    const after = (drift: number): number => {
      const learner = new Regression([{ ...slope, drift }], noise);
      for (let at = 0; at < 300; at++) learner.observe([500], 500);
      for (let at = 0; at < 10; at++) learner.observe([500], 600);
      return learner.rates[0] as number;
    };
    expect(after(1e-3)).toBeGreaterThan(after(0) + 0.05);
  });

  it('keeps its rates within their bounds whatever it is told', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.double({ min: 0, max: 1e6, noNaN: true }),
            fc.double({ min: 0, max: 100, noNaN: true }),
            fc.double({ min: 0, max: 1e7, noNaN: true }),
          ),
          { maxLength: 40 },
        ),
        (lessons) => {
          const learner = regression();
          for (const [text, frames, value] of lessons) learner.observe([text, frames], value);
          const [rate, frame] = learner.rates as [number, number];
          expect(rate).toBeGreaterThanOrEqual(0.5);
          expect(rate).toBeLessThanOrEqual(2);
          expect(frame).toBeGreaterThanOrEqual(0);
          expect(frame).toBeLessThanOrEqual(50);
        },
      ),
    );
  });
});

describe('the state of a regression', () => {
  const learnt = (): Regression => {
    const learner = regression();
    learner.observe([100, 2], 150);
    learner.observe([40, 1], 70);
    return learner;
  };

  it('survives JSON and goes on as if nothing had happened', () => {
    const restored = regression();
    expect(restored.restore(JSON.parse(JSON.stringify(learnt().state())))).toBe(true);
    const original = learnt();
    restored.observe([60, 3], 90);
    original.observe([60, 3], 90);
    expect(restored.state()).toEqual(original.state());
  });

  it.each([
    ['nothing', undefined],
    ['null', null],
    [
      'no rates',
      {
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'too few rates',
      {
        rates: [1],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'a rate below its bound',
      {
        rates: [0.4, 10],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'a rate above its bound',
      {
        rates: [1, 51],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'a rate that is no number',
      {
        rates: ['1', 10],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'a rate that is not finite',
      {
        rates: [NaN, 10],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      },
    ],
    ['no covariance', { rates: [1, 10] }],
    ['a covariance of another size', { rates: [1, 10], covariance: [[1, 0]] }],
    ['a ragged covariance', { rates: [1, 10], covariance: [[1, 0], [0]] }],
    [
      'a covariance with text',
      {
        rates: [1, 10],
        covariance: [
          [1, 0],
          [0, 'x'],
        ],
      },
    ],
    [
      'a variance of nothing',
      {
        rates: [1, 10],
        covariance: [
          [1, 0],
          [0, 0],
        ],
      },
    ],
    [
      'a negative variance',
      {
        rates: [1, 10],
        covariance: [
          [-1, 0],
          [0, 1],
        ],
      },
    ],
    [
      'a covariance above its variances',
      {
        rates: [1, 10],
        covariance: [
          [1, 2],
          [2, 1],
        ],
      },
    ],
    [
      'a variance beyond reason',
      {
        rates: [1, 10],
        covariance: [
          [401, 0],
          [0, 1],
        ],
      },
    ],
  ])('is refused with %s, and nothing changes', (_, state) => {
    const learner = learnt();
    expect(learner.restore(state)).toBe(false);
    expect(learner.state()).toEqual(learnt().state());
  });

  it('is taken at the very bounds', () => {
    expect(
      regression().restore({
        rates: [0.5, 50],
        covariance: [
          [400, 20],
          [20, 1],
        ],
      }),
    ).toBe(true);
    expect(
      regression().restore({
        rates: [2, 0],
        covariance: [
          [1, 0],
          [0, 1],
        ],
      }),
    ).toBe(true);
  });
});
