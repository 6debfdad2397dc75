/** Messages of the host's own classes, which are learned from the messages that it has, so that nothing of it is loaded. */
import { fieldsOf } from '../../formats/shape';
import type { LangChainMessage } from './host-types';

type MessageClass = new (fields: object) => LangChainMessage;

/** The same message with other fields, of the same class; the given one is not changed. */
export function changed(message: LangChainMessage, change: object): LangChainMessage {
  const { lc_kwargs: named } = fieldsOf(message);
  // The host writes a message down by the names that it keeps there.
  const fields = named === undefined ? change : { ...change, lc_kwargs: { ...fieldsOf(named), ...change } };
  return Object.create(Object.getPrototypeOf(message) as object, {
    ...Object.getOwnPropertyDescriptors(message),
    ...Object.getOwnPropertyDescriptors(fields),
  }) as LangChainMessage;
}

/** Makes messages of the classes that were seen. */
export class MessageClasses {
  readonly #classes = new Map<string, MessageClass>();

  see(message: LangChainMessage): void {
    const { type } = message;
    if (this.#classes.has(type)) return;
    const made = message.constructor as MessageClass;
    if ('lc_namespace' in message && typeof made === 'function') this.#classes.set(type, made);
  }

  /** A message with these fields; a plain object, which a model of the host takes too, where no such message was seen. */
  make(type: 'human' | 'ai' | 'tool', fields: object): LangChainMessage {
    const made = this.#classes.get(type);
    return made === undefined ? ({ type, ...fields } as LangChainMessage) : new made(fields);
  }
}
