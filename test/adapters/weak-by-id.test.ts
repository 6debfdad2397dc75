import { weakById } from '../../core/adapters/weak-by-id';

it('gives the same thing for the same id, and makes each of them once', () => {
  const made: string[] = [];
  const thingOf = weakById((id) => {
    made.push(id);
    return { id };
  });
  const one = thingOf('one');
  expect(thingOf('one')).toBe(one);
  expect(thingOf('two')).not.toBe(one);
  expect(made).toEqual(['one', 'two']);
});
