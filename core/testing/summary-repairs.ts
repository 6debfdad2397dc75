/** The checks of the contract of summary formats about what is dropped (S9.7). */
import assert from 'node:assert/strict';
import { facts, MADE_UP, namesOf, ODD_TEXTS, problemsOf, QUOTES, SAID } from './summary-checks';
import type { FormatCheck } from './summary-format-contract';

export const repairChecks: readonly FormatCheck[] = [
  {
    name: 'a line at fault is dropped, and nothing else',
    check(under) {
      const text = under.write(SAID, [QUOTES[0], MADE_UP, QUOTES[1]]);
      if (!text.includes(MADE_UP)) return;
      const repaired = under.format.repair(text, problemsOf(under, text));
      assert.ok(!repaired.includes(MADE_UP), 'what nobody said is still there');
      for (const kept of [SAID, QUOTES[0], QUOTES[1]]) assert.ok(repaired.includes(kept), `"${kept}" is gone`);
      assert.deepEqual(namesOf(under, repaired), []);
    },
  },
  {
    name: 'where every quotation is dropped the summary is still whole',
    check(under) {
      const text = under.write(SAID, [MADE_UP]);
      assert.deepEqual(namesOf(under, under.format.repair(text, problemsOf(under, text))), []);
    },
  },
  {
    name: 'problems that no line is to blame for change nothing',
    check(under) {
      const text = under.write(SAID, QUOTES);
      const told = under.format.check(text, facts({ maxTokens: 1 }));
      const strange = [{ problem: 'of-a-later-version', message: 'Nobody knows this one.' }];
      for (const problems of [told, strange]) assert.equal(under.format.repair(text, problems), text);
    },
  },
  {
    name: 'what was repaired is not repaired again',
    check(under) {
      for (const text of [under.write(SAID, [QUOTES[0], MADE_UP]), ...ODD_TEXTS]) {
        const once = under.format.repair(text, under.format.check(text, facts()));
        const problems = under.format.check(once, facts());
        assert.ok(!problems.some(({ problem }) => problem === 'quotation'), 'a quotation at fault is left');
        assert.equal(under.format.repair(once, problems), once);
      }
    },
  },
];
