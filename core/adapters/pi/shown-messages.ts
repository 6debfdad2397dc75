/** What the model sees of messages that the user wrote or the application put in. */
import { partsOf } from '../../formats/parts';
import { shownContent } from '../../formats/pi';
import { fieldsOf, listOf } from '../../formats/shape';
import type { Part } from '../../session/items';
import type { PiLoop, PiMessage } from './host-types';

/** Kinds that every loop sends as they are. */
const PLAIN = new Set(['user', 'assistant', 'toolResult']);

export class ShownMessages {
  readonly #shown = new WeakMap<PiMessage, readonly Part[]>();

  /** Asks the loop what it makes of messages of the application's own kinds, of each of them once. */
  async ask(messages: readonly PiMessage[], loop: PiLoop): Promise<void> {
    if (loop.convertToLlm === undefined) return;
    for (const message of messages) {
      if (PLAIN.has(message.role) || this.#shown.has(message)) continue;
      const converted = listOf(await loop.convertToLlm([message as never]));
      const parts = converted.flatMap((one) => partsOf(fieldsOf(one).content));
      this.#shown.set(message, parts);
    }
  }

  /** Of a loop that says nothing of it, the kinds of pi's coding agent are known. */
  of(message: PiMessage): readonly Part[] {
    return this.#shown.get(message) ?? partsOf(shownContent(fieldsOf(message)));
  }
}
