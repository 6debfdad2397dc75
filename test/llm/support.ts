/** What the tests of the model client share. */
import fc from 'fast-check';
import type { NewItem } from '../../core';

const text = fc.string({ minLength: 1, maxLength: 8, unit: 'binary' }).map((value) => `${value}x`);

/** Exchanges as a session appends them: what the user says, replies of text, calls with their results. */
export const arbitraryItems: fc.Arbitrary<readonly (readonly NewItem[])[]> = fc
  .array(fc.tuple(fc.constantFrom('user', 'text', 'calls'), text, fc.integer({ min: 1, max: 3 })), { maxLength: 8 })
  .map((kinds) =>
    kinds.map(([kind, said, count], at): readonly NewItem[] => {
      const reply = `r${at}`;
      const parts = [{ type: 'text' as const, text: said }];
      if (kind === 'user') return [{ kind: 'message', role: 'user', parts }];
      if (kind === 'text') return [{ kind: 'message', role: 'assistant', parts, reply }];
      const ids = Array.from({ length: count }, (_, index) => `c${at}-${index}`);
      return [
        ...ids.map((callId): NewItem => ({
          kind: 'tool_call',
          callId,
          name: 'read_file',
          arguments: { path: said },
          reply,
        })),
        ...ids.map((callId): NewItem => ({ kind: 'tool_result', callId, summary: said })),
      ];
    }),
  );
