/** The recall service: where other plugins leave what is too long for a context. */
import { createSessionToken } from '../../core/index';

/** A text that is too long for a context. */
export interface LongText {
  /** One line that says what it is. */
  readonly title: string;
  readonly pieces: readonly string[];
}

export interface Recall {
  /** Keeps a text until the session is closed; resolves to the id under which `recall_read` shows it, such as `o12`. */
  keep(text: LongText): Promise<string>;
}

export const RECALL = createSessionToken<Recall>('pith/recall');
