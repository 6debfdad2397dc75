import fc from 'fast-check';
import { chainTo, parentsOf, ROOT } from '../../core/formats/tree';

const id = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const link = fc.record({
  id: fc.option(id, { nil: undefined }),
  parent: fc.oneof(id, fc.constant(null), fc.constant(undefined)),
});

describe('entries that name their parent', () => {
  test('hang where they say', () => {
    const links = [
      { id: 'a', parent: null },
      { id: 'b', parent: 'a' },
      { id: 'c', parent: 'b' },
      { id: 'd', parent: 'a' },
    ];
    expect([...parentsOf(links)]).toEqual([ROOT, 0, 1, 0]);
    expect(chainTo(3, parentsOf(links))).toEqual([0, 3]);
  });

  test('follow the entry before them where the parent is not told, unknown, later, or they themselves', () => {
    const links = [
      { id: 'a', parent: 'd' },
      { id: 'b', parent: undefined },
      { id: 'c', parent: 'gone' },
      { id: 'd', parent: 'd' },
    ];
    expect(chainTo(3, parentsOf(links))).toEqual([0, 1, 2, 3]);
  });

  test('make chains that end, without a cycle, whatever they say', () => {
    fc.assert(
      fc.property(fc.array(link, { maxLength: 30 }), (links) => {
        const chain = chainTo(links.length - 1, parentsOf(links));
        expect(chain).toEqual([...new Set(chain)].sort((left, right) => left - right));
      }),
    );
  });
});
