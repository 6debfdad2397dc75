/** A message as it came; read only as far as somebody asks. */
import type { Msg } from 'nats';
import type { LinkMessage } from './link-contract';

/** A message knows its size, though its type does not: the bytes of subject, reply, headers and data. */
type SizedMsg = Msg & { size(): number };

const VERSION = 'NATS/1.0';
/**
 * What inboxes begin with, and what servers make up for them where accounts or clusters meet (`_R_`, `_GR_`). Whoever is
 * answered elsewhere would have this side publish, by its rights, what it may not publish itself.
 */
const INBOXES = '_';
const LINE_END = '\r\n';

export class NatsMessage implements LinkMessage {
  readonly data: Uint8Array;
  readonly #message: SizedMsg;
  #headers: string | undefined;

  constructor(message: Msg) {
    this.#message = message as SizedMsg;
    this.data = message.data;
  }

  get subject(): string {
    return this.#message.subject;
  }

  get reply(): string | undefined {
    const { reply } = this.#message;
    return reply?.startsWith(INBOXES) === true ? reply : undefined;
  }

  get nobody(): boolean {
    return this.data.length === 0 && this.#headerText().startsWith(`${VERSION} 503`);
  }

  header(name: string): string | undefined {
    const text = this.#headerText();
    const begin = `${LINE_END}${name}:`;
    const at = text.indexOf(begin);
    if (at < 0) return undefined;
    const from = at + begin.length;
    return text.slice(from, text.indexOf(LINE_END, from)).trim();
  }

  /**
   * The lines of the headers, which stand before the data in the same memory. The library would parse them all into lists, which
   * takes longer than all else here, and throws on names that any sender can make up.
   */
  #headerText(): string {
    return (this.#headers ??= headerText(this.#message, this.data));
  }
}

function headerText(message: SizedMsg, data: Uint8Array): string {
  const length = message.size() - message.subject.length - (message.reply?.length ?? 0) - data.length;
  if (length <= VERSION.length || length > data.byteOffset) return '';
  const text = Buffer.from(data.buffer, data.byteOffset - length, length).toString();
  return text.startsWith(VERSION) && text.endsWith(LINE_END + LINE_END) ? text : '';
}
