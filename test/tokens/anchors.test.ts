import fc from 'fast-check';
import { Anchors, type Anchor } from '../../core/tokens/anchors';

const anchor = (entries: number, tokens: number): Anchor => ({ entries, tokens, dropped: 0 });

function anchorsOf(...points: [entries: number, tokens: number][]): Anchors {
  const anchors = new Anchors();
  for (const [entries, tokens] of points) anchors.add(anchor(entries, tokens));
  return anchors;
}

/** All anchors in order, as the queries show them. */
function listOf(anchors: Anchors): Anchor[] {
  const list: Anchor[] = [];
  for (let next = anchors.after(-1); next !== undefined; next = anchors.after(next.entries)) list.push(next);
  return list;
}

describe('measured points', () => {
  it('are found around any number of entries', () => {
    const anchors = anchorsOf([2, 100], [5, 300], [9, 900]);
    expect(anchors.atOrBefore(1)).toBeUndefined();
    expect(anchors.atOrBefore(2)).toEqual(anchor(2, 100));
    expect(anchors.atOrBefore(8)).toEqual(anchor(5, 300));
    expect(anchors.atOrBefore(50)).toEqual(anchor(9, 900));
    expect(anchors.after(1)).toEqual(anchor(2, 100));
    expect(anchors.after(2)).toEqual(anchor(5, 300));
    expect(anchors.after(9)).toBeUndefined();
    expect(anchors.last).toEqual(anchor(9, 900));
    expect(new Anchors().last).toBeUndefined();
  });

  it('give way to newer ones that contradict them', () => {
    expect(listOf(anchorsOf([2, 100], [5, 300], [7, 310], [9, 250]))).toEqual([anchor(2, 100), anchor(9, 250)]);
    expect(listOf(anchorsOf([5, 300], [9, 900], [5, 350]))).toEqual([anchor(5, 350), anchor(9, 900)]);
    expect(listOf(anchorsOf([5, 300], [9, 900], [3, 400]))).toEqual([anchor(3, 400), anchor(9, 900)]);
    expect(listOf(anchorsOf([5, 300], [9, 900], [3, 1000]))).toEqual([anchor(3, 1000)]);
    expect(listOf(anchorsOf([5, 300], [9, 300], [7, 300]))).toEqual([anchor(5, 300), anchor(7, 300), anchor(9, 300)]);
  });

  it('are always in ascending order of entries and tokens', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.nat(20), fc.nat(1000)), { maxLength: 30 }), (points) => {
        const anchors = anchorsOf(...points);
        const list = listOf(anchors);
        list.forEach((point, index) => {
          const next = list[index + 1];
          if (next === undefined) return;
          expect(next.entries).toBeGreaterThan(point.entries);
          expect(next.tokens).toBeGreaterThanOrEqual(point.tokens);
        });
        const newest = points.at(-1);
        if (newest) expect(anchors.atOrBefore(newest[0])).toEqual(anchor(...newest));
      }),
    );
  });

  it('are forgotten from a number of entries on, which tells whether there were any', () => {
    const anchors = anchorsOf([2, 100], [5, 300], [9, 900]);
    expect(anchors.truncate(9)).toBe(false);
    expect(anchors.truncate(5)).toBe(true);
    expect(listOf(anchors)).toEqual([anchor(2, 100), anchor(5, 300)]);
    expect(anchors.truncate(-1)).toBe(true);
    expect(anchors.last).toBeUndefined();
  });

  it('lose what the provider dropped, and say how much', () => {
    const anchors = anchorsOf([2, 100], [5, 300], [9, 900]);
    anchors.drop(2, ({ entries }) => entries * 10);
    expect(listOf(anchors)).toEqual([
      anchor(2, 100),
      { entries: 5, tokens: 250, dropped: 50 },
      { entries: 9, tokens: 810, dropped: 90 },
    ]);
    anchors.drop(5, () => 10);
    expect(anchors.last).toEqual({ entries: 9, tokens: 800, dropped: 100 });
  });

  it('stay in order when more is dropped than there was', () => {
    const anchors = anchorsOf([2, 100], [5, 300], [9, 320]);
    anchors.drop(2, ({ entries }) => (entries === 9 ? 1000 : 10));
    expect(listOf(anchors).map(({ tokens }) => tokens)).toEqual([100, 100, 100]);
    const first = anchorsOf([2, 100]);
    first.drop(-1, () => 400);
    expect(first.last?.tokens).toBe(0);
  });
});
