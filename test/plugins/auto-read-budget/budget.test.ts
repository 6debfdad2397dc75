import fc from 'fast-check';
import { ReadBudget } from '../../../plugins/auto-read-budget/budget';

const REMINDER = 'Budget half consumed. Consider calling write_summary soon.';

describe('the auto-read budget', () => {
  test('says what remains at the end of each mark', () => {
    expect(new ReadBudget(8000).remark('Marked', 3800)).toBe('Marked. Budget: 4200/8000 tokens remaining');
  });

  test('refuses what would exceed it, and nothing that just fits', () => {
    const budget = new ReadBudget(8000);
    expect(budget.refusal(0, 8000)).toBeUndefined();
    expect(budget.refusal(0, 8001)).toBe(
      'Error: auto-read budget exhausted (8000 tokens). Remove an existing mark or use add_reference instead.',
    );
  });

  test('refuses no mark that adds nothing, even where files have grown beyond it meanwhile', () => {
    const budget = new ReadBudget(8000);
    expect(budget.refusal(9000, 8500)).toBeUndefined();
    expect(budget.refusal(9000, 9000)).toBeUndefined();
    expect(budget.refusal(9000, 9001)).toMatch(/^Error: auto-read budget exhausted/);
    expect(budget.remark('Unmarked', 9000)).toBe('Unmarked. Budget: 0/8000 tokens remaining');
  });

  test('of 0 tokens allows no mark', () => {
    expect(new ReadBudget(0).refusal(0, 1)).toBe(
      'Error: auto-read budget exhausted (0 tokens). Remove an existing mark or use add_reference instead.',
    );
  });

  test('reminds once that half is consumed, with the next result of any tool', () => {
    const budget = new ReadBudget(8000);
    expect(budget.remark('Marked', 3999)).toBe('Marked. Budget: 4001/8000 tokens remaining');
    expect(budget.remark(undefined, 3999)).toBeUndefined();
    expect(budget.remark('Marked', 4000)).toBe('Marked. Budget: 4000/8000 tokens remaining');
    expect(budget.remark(undefined, 4000)).toBe(REMINDER);
    expect(budget.remark(undefined, 4000)).toBeUndefined();
    expect(budget.remark('Marked', 7000)).toBe('Marked. Budget: 1000/8000 tokens remaining');
    expect(budget.remark(undefined, 7000)).toBeUndefined();
  });

  test('reminds before what remains, where the next result is that of a mark', () => {
    const budget = new ReadBudget(8000);
    budget.remark('Marked', 5000);
    expect(budget.remark('Marked', 6000)).toBe(`${REMINDER}\nMarked. Budget: 2000/8000 tokens remaining`);
  });

  test('reminds again after an unmark that frees more than half, and only then', () => {
    const budget = new ReadBudget(8000);
    budget.remark('Marked', 6000);
    budget.remark(undefined, 6000);
    expect(budget.remark('Unmarked', 4000)).toBe('Unmarked. Budget: 4000/8000 tokens remaining');
    expect(budget.remark('Marked', 6000)).toBe('Marked. Budget: 2000/8000 tokens remaining');
    expect(budget.remark(undefined, 6000)).toBeUndefined();
    expect(budget.remark('Unmarked', 3999)).toBe('Unmarked. Budget: 4001/8000 tokens remaining');
    expect(budget.remark('Marked', 4000)).toBe('Marked. Budget: 4000/8000 tokens remaining');
    expect(budget.remark(undefined, 4000)).toBe(REMINDER);
  });

  test('keeps a reminder to itself where an unmark made it untrue', () => {
    const budget = new ReadBudget(8000);
    budget.remark('Marked', 6000);
    expect(budget.remark('Unmarked', 0)).toBe('Unmarked. Budget: 8000/8000 tokens remaining');
    expect(budget.remark(undefined, 0)).toBeUndefined();
  });

  test('between two unmarks above half there is at most one reminder, and each mark ends with what remains', () => {
    const step = fc.record({
      done: fc.constantFrom('Marked' as const, 'Unmarked' as const, undefined),
      tokens: fc.nat(100),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = new ReadBudget(100);
        let reminders = 0;
        let marked = 0;
        for (const { done, tokens } of steps) {
          if (done !== undefined) marked = tokens;
          const said = budget.remark(done, marked) ?? '';
          if (done !== undefined) {
            expect(said.endsWith(`ed. Budget: ${100 - marked}/100 tokens remaining`)).toBe(true);
            if (100 - marked > 50) reminders = 0;
          }
          if (said.includes(REMINDER)) {
            expect(100 - marked).toBeLessThanOrEqual(50);
            expect(++reminders).toBe(1);
          }
        }
      }),
    );
  });
});
