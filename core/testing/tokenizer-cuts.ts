/** The checks of the contract of tokenizers about cutting text (S6.1). */
import assert from 'node:assert/strict';
import type { Tokenizer, Truncated } from '../tokens/tokenizer';
import type { TokenizerCheck } from './tokenizer-contract';
import { shown } from './tokenizer-counts';
import { endlessTexts, SAMPLE_TEXTS } from './tokenizer-texts';

const ENDS = ['head', 'tail'] as const;
/** Limits in tokens; the last ones are more than any sample has. */
const LIMITS = [0, 1, 2, 5, 16, 60, 5000, Infinity];

type Cut = Truncated & { readonly given: string; readonly max: number; readonly end: 'head' | 'tail' };

/** Every sample, cut to every limit from both ends. */
function* cuts(tokenizer: Tokenizer): Iterable<Cut> {
  for (const given of SAMPLE_TEXTS)
    for (const max of LIMITS) for (const end of ENDS) yield { given, max, end, ...tokenizer.truncate(given, max, end) };
}

function said({ given, max, end }: Cut): string {
  return `the ${end} of ${shown(given)} cut to ${max} tokens`;
}

export const cutChecks: readonly TokenizerCheck[] = [
  {
    name: 'what is kept of a text is a piece of it from the end that was asked for',
    check(tokenizer) {
      for (const cut of cuts(tokenizer)) {
        const { given, text, truncated, end } = cut;
        assert.ok(end === 'head' ? given.startsWith(text) : given.endsWith(text), said(cut));
        assert.equal(truncated, text.length < given.length, said(cut));
      }
    },
  },
  {
    name: 'what is kept has never more tokens than the limit, and is told as it counts',
    check(tokenizer) {
      for (const cut of cuts(tokenizer)) {
        assert.equal(cut.tokens, tokenizer.countText(cut.text), said(cut));
        assert.ok(cut.tokens <= cut.max, `${said(cut)} has ${cut.tokens}`);
      }
      for (const end of ENDS)
        assert.deepEqual(tokenizer.truncate('word', -3, end), { text: '', tokens: 0, truncated: true });
    },
  },
  {
    name: 'a text that fits is kept whole',
    check(tokenizer) {
      for (const text of SAMPLE_TEXTS)
        for (const end of ENDS) {
          const tokens = tokenizer.countText(text);
          assert.deepEqual(tokenizer.truncate(text, tokens, end), { text, tokens, truncated: false });
          assert.ok(tokenizer.truncate(text, tokens - 1, end).truncated, shown(text));
        }
    },
  },
  {
    name: 'a cut uses at least half of the limit',
    check(tokenizer) {
      for (const cut of cuts(tokenizer))
        if (cut.truncated && cut.max >= 16) assert.ok(2 * cut.tokens >= cut.max, `${said(cut)} has ${cut.tokens}`);
    },
  },
  {
    name: 'a cut never parts a character',
    check(tokenizer) {
      for (const cut of cuts(tokenizer)) assert.ok(cut.text.isWellFormed(), said(cut));
      for (const max of [1, 2, 3, 4, 5, 6, 7])
        for (const end of ENDS)
          assert.ok(tokenizer.truncate('𓀀漢字😀𓀁'.repeat(9), max, end).text.isWellFormed(), `${end}, ${max}`);
    },
  },
  {
    name: 'a cut text is not cut again at the same limit',
    check(tokenizer) {
      for (const cut of cuts(tokenizer)) {
        const { text, tokens, max, end } = cut;
        assert.deepEqual(tokenizer.truncate(text, max, end), { text, tokens, truncated: false }, said(cut));
      }
    },
  },
  {
    name: 'a million characters of anything are cut near the limit',
    check(tokenizer) {
      for (const [name, text] of endlessTexts())
        for (const end of ENDS) {
          const { text: kept, tokens } = tokenizer.truncate(text, 1000, end);
          assert.ok(tokens <= 1000 && tokens >= 500, `the ${end} of ${name} has ${tokens} tokens`);
          assert.ok(kept.isWellFormed(), `the ${end} of ${name}`);
        }
    },
  },
];
