/**
 * What every tokenizer must do, whatever it counts with (S6.1, S6.2). Nothing is said of how exact it is: an estimate by
 * characters may pass. What is said keeps budgets and cuts sound.
 */
import type { Tokenizer } from '../tokens/tokenizer';
import type { ContractCheck } from './contract-check';
import { countChecks } from './tokenizer-counts';
import { cutChecks } from './tokenizer-cuts';
import { itemChecks } from './tokenizer-items';

/** A tokenizer as the contract of tokenizers tests it. */
export interface TokenizerUnderTest {
  /** Makes one. Two of them share an id, so they must count the same. */
  create(): Tokenizer;
}

/** A check on two tokenizers of one kind that have counted nothing yet. */
export interface TokenizerCheck {
  readonly name: string;
  check(tokenizer: Tokenizer, another: Tokenizer): void;
}

/** The checks of the contract of tokenizers; `test.each` of any runner takes them. */
export function tokenizerContract(under: TokenizerUnderTest): readonly ContractCheck[] {
  return [...countChecks, ...cutChecks, ...itemChecks].map(({ name, check }) => ({
    name,
    // what a check throws is the rejection of its run
    async run() {
      check(under.create(), under.create());
    },
  }));
}
