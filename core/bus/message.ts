/** Checking what crosses a bus (S4.2). */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { messageOf, PithError } from '../errors';

/** The error of a message that does not fit its schema, or undefined where it fits. `what` begins the sentence. */
export function messageFault(
  schema: StandardSchemaV1 | undefined,
  message: unknown,
  subject: string,
  what: 'request' | 'reply' | 'progress' | 'ask' | 'answer',
): PithError | undefined {
  const problem = schema === undefined ? `the channel declares no ${what}` : problemOf(schema, message);
  if (problem === undefined) return undefined;
  return new PithError(
    'PITH_BUS_BAD_MESSAGE',
    `${what.startsWith('a') ? 'An' : 'A'} ${what} of channel "${subject}" is not as its schema says: ${problem}.`,
    { details: { subject, message: what } },
  );
}

function problemOf(schema: StandardSchemaV1, message: unknown): string | undefined {
  let result;
  try {
    result = schema['~standard'].validate(message);
  } catch (thrown) {
    return messageOf(thrown);
  }
  if (result instanceof Promise) return 'its schema is asynchronous, which channels cannot use';
  return result.issues?.map(describeIssue).join('; ');
}

/** One issue of a Standard Schema in words: `limits.maxTokens: expected a number`. */
export function describeIssue(issue: StandardSchemaV1.Issue): string {
  const at = issuePath(issue);
  return at === '' ? issue.message : `${at}: ${issue.message}`;
}

/** Where an issue lies, `limits.maxTokens`; empty for the value as a whole. */
export function issuePath({ path }: StandardSchemaV1.Issue): string {
  return (path ?? []).map((step) => String(typeof step === 'object' ? step.key : step)).join('.');
}
