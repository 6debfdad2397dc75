/** The errors that a client in process throws for what its scripted provider answers. */
import { PithError } from '../errors';
import type { Answer } from './scripted-endpoint';

/** What went wrong: an answer that is no reply, or a connection that broke within one. */
export type Failure = Exclude<Answer, { kind: 'reply' }> | { readonly kind: 'break' };

/** The error for a failure, as the contract of the model client names it. */
export function scriptedError(failure: Failure, model: string): PithError {
  switch (failure.kind) {
    case 'refusal': {
      const { rule, index, message } = failure.violation;
      const text = `Model "${model}" refuses the request (${rule}, message ${index}): ${message}`;
      return new PithError('PITH_LLM_REQUEST', text, { details: { rule, index } });
    }
    case 'overflow': {
      const { input, allowance, window } = failure.tokens;
      const text = `The input of ${input} tokens and ${allowance} for the reply exceed the ${window} of model "${model}"; compact the session.`;
      return failure.error ?? new PithError('PITH_LLM_OVERFLOW', text, { details: { ...failure.tokens } });
    }
    case 'raw':
      return new PithError('PITH_LLM_REQUEST', `Model "${model}" answered: ${JSON.stringify(failure.answer.body)}`);
    case 'break':
      return new PithError('PITH_LLM_TRANSPORT', `The connection to model "${model}" broke; send the request again.`);
    case 'fault':
      return failure.error ?? faultError(failure.fault, failure.retryAfterMs, model);
  }
}

function faultError(
  fault: Extract<Failure, { kind: 'fault' }>['fault'],
  retryAfterMs: number | undefined,
  model: string,
): PithError {
  switch (fault) {
    case 'rate-limited':
      return new PithError('PITH_LLM_RATE_LIMITED', `Model "${model}" takes no more requests for now; wait.`, {
        details: retryAfterMs === undefined ? {} : { retryAfterMs },
      });
    case 'server':
    case 'overloaded':
      return new PithError('PITH_LLM_TRANSPORT', `Model "${model}" failed (${fault}); send the request again.`);
    case 'auth':
      return new PithError('PITH_LLM_AUTH', `Model "${model}" does not accept the key; give it another one.`);
    case 'request':
      return new PithError('PITH_LLM_REQUEST', `Model "${model}" finds the request wrong.`);
  }
}
