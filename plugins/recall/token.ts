/** The recall service: where other plugins leave what is too long for a context. */
import { createSessionToken } from '../../core/index';

/** A text that is too long for a context. */
export interface LongText {
  /** One line that says what it is. */
  readonly title: string;
  readonly pieces: readonly string[];
}

/** Keeps what is too long to be shown whole, so that the agent can look it up. */
export interface Recall {
  /** Keeps a text until the session is closed; resolves to the id under which `recall_read` shows it, such as `o12`. */
  keep(text: LongText): Promise<string>;
}

/** What is kept of a session to be looked up; served by `recall`. */
export const RECALL = createSessionToken<Recall>('pith/recall');
