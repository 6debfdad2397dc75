/** The checks of the contract of tokenizers about counting text (S6.1). */
import assert from 'node:assert/strict';
import type { TokenizerCheck } from './tokenizer-contract';
import { endlessTexts, SAMPLE_TEXTS, SPECIAL_TEXTS } from './tokenizer-texts';

/** Tokens by which a text may differ from its parts: a cut parts at most one word or run, which is counted in other pieces. */
export function slack(tokens: number): number {
  return 8 + 0.04 * tokens;
}

/** A text as messages of checks show it. */
export function shown(text: string): string {
  return JSON.stringify(text.length <= 40 ? text : `${text.slice(0, 39)}…`);
}

export const countChecks: readonly TokenizerCheck[] = [
  {
    name: 'nothing has no tokens, and every text a whole number of them, at least one and at most one for each byte',
    check(tokenizer) {
      assert.equal(tokenizer.countText(''), 0);
      for (const text of SAMPLE_TEXTS) {
        const tokens = tokenizer.countText(text);
        assert.ok(Number.isSafeInteger(tokens), `${shown(text)}: ${tokens} is no whole number`);
        assert.ok(tokens >= 1 && tokens <= Buffer.byteLength(text), `${shown(text)} cannot have ${tokens} tokens`);
      }
    },
  },
  {
    name: 'a text always counts the same, in every tokenizer of the id, whatever was counted before',
    check(tokenizer, another) {
      assert.ok(tokenizer.id.trim() !== '', 'the id is empty');
      assert.equal(tokenizer.id, another.id);
      const counts = SAMPLE_TEXTS.map((text) => tokenizer.countText(text));
      for (const one of [another, tokenizer]) {
        const again = SAMPLE_TEXTS.toReversed().map((text) => one.countText(text));
        assert.deepEqual(again.reverse(), counts);
      }
    },
  },
  {
    name: 'the marks of a model are plain text in content: they are counted as they are spelled',
    check(tokenizer) {
      for (const text of SPECIAL_TEXTS) {
        assert.ok(tokenizer.countText(text) > 1, `${shown(text)} counts as one token, so it is taken for a mark`);
        const apart = tokenizer.countText('before ') + tokenizer.countText(text) + tokenizer.countText(' after');
        assert.ok(Math.abs(tokenizer.countText(`before ${text} after`) - apart) <= slack(apart), shown(text));
      }
    },
  },
  {
    name: 'text that is not well-formed is counted, not refused',
    check(tokenizer) {
      for (const text of ['a\ud800b', '\udc00', '\ud800\ud800', '😀'.slice(0, 1)]) {
        const tokens = tokenizer.countText(text);
        assert.ok(Number.isSafeInteger(tokens) && tokens >= 1, `${shown(text)}: ${tokens}`);
      }
    },
  },
  {
    name: 'what is no text is refused with a TypeError',
    check(tokenizer) {
      for (const value of [undefined, null, 12, {}] as unknown as string[]) {
        assert.throws(() => tokenizer.countText(value), TypeError);
        assert.throws(() => tokenizer.truncate(value, 1, 'head'), TypeError);
      }
    },
  },
  {
    name: 'a text counts what its parts count, but for the one word that the cut parts',
    check(tokenizer) {
      for (const left of SAMPLE_TEXTS)
        for (const right of SAMPLE_TEXTS) {
          const apart = tokenizer.countText(left) + tokenizer.countText(right);
          const whole = tokenizer.countText(left + right);
          assert.ok(
            Math.abs(whole - apart) <= slack(apart),
            `${shown(left)} and ${shown(right)} count ${apart} apart and ${whole} together`,
          );
        }
    },
  },
  {
    name: 'a longer text never counts less than its beginning, but for the word at its end',
    check(tokenizer) {
      for (const text of SAMPLE_TEXTS) {
        const step = Math.max(1, Math.floor(text.length / 20));
        let most = 0;
        for (let end = 0; end <= text.length; end += step) {
          const tokens = tokenizer.countText(text.slice(0, end));
          assert.ok(tokens >= most - slack(0), `${shown(text)}: ${end} characters count ${tokens}, fewer ones ${most}`);
          most = Math.max(most, tokens);
        }
      }
    },
  },
  {
    name: 'a million characters of anything are counted to their end: twice the text has twice the tokens',
    check(tokenizer) {
      for (const [name, text] of endlessTexts()) {
        const tokens = tokenizer.countText(text);
        const half = tokenizer.countText(text.slice(0, text.length / 2));
        assert.ok(tokens >= text.length / 1024, `a million of ${name} cannot have ${tokens} tokens`);
        assert.ok(Math.abs(tokens - 2 * half) <= slack(tokens), `${name}: ${half} tokens for half, ${tokens} for all`);
      }
    },
  },
];
