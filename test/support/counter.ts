/** Counts tokens with the plain encoder, independent of the code under test, and the written requests that are counted. */
import { get_encoding } from 'tiktoken';
import type { ContextView } from '../../core';
import { WRITERS } from '../../core/formats';
import { checkRequest } from '../../core/testing';
import type { RequestShape, Violation } from '../../core/testing';

const encoder = get_encoding('o200k_base');

/** Tokens of a text, special-token text included as ordinary text. */
export const countOf = (text: string): number => encoder.encode_ordinary(text).length;

/** Tokens of every string of a written request, images left out. */
export function countRequest(request: unknown): number {
  let tokens = 0;
  JSON.stringify(request, (key, value: unknown) => {
    if (typeof value === 'string' && !['data', 'image', 'url', 'type', 'role'].includes(key)) tokens += countOf(value);
    return value;
  });
  return tokens;
}

export interface Written {
  readonly shape: RequestShape;
  readonly request: unknown;
}

/** A context in every shape that a provider takes. */
export function written(context: ContextView): readonly Written[] {
  return WRITERS.flatMap(({ name, write }) =>
    name === 'pith' ? [] : [{ shape: name as RequestShape, request: write(context) }],
  );
}

/** What strict endpoints would refuse of a context, in any shape. */
export function refusals(context: ContextView, prompt?: string): readonly Violation[] {
  return written(context).flatMap(({ shape, request }) =>
    checkRequest(shape, request, {
      system: shape === 'anthropic' ? 'many' : 'one',
      firstUser: true,
      ...(prompt !== undefined && { prompt }),
    }),
  );
}
