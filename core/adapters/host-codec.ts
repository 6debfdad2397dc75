/** What an adapter knows of the messages of its host; all else about them is the same for every host. */
import type { Item, NewItem } from '../session/items';
import type { ToolSchema, Usage } from '../session/records';

/** Reads and writes the messages of one host. Pure; a message that it was given is never changed. */
export interface HostCodec<M extends object> {
  /** Whether each message of the model is a whole reply; else neighbouring ones are parts of one. */
  readonly wholeReplies?: boolean;
  /**
   * The items that a message stands for, in order; none for what no model sees, which then stays where it is. A system
   * message is one item of role `system`; those at the head of the conversation are the host's system prompt. The summary of
   * a result may be empty: it is then made of the name of the tool and the content.
   */
  read(message: M): readonly NewItem[];
  /**
   * The message with other items; asked only where one differs. `items` has one entry for each item that `read` gave: the
   * item as it is sent, or undefined where it is not. A system message inside the conversation comes as one of the user.
   * Returns undefined where nothing of the message is sent. Asked again for the same, it writes the same.
   */
  edit(message: M, items: readonly (Item | undefined)[]): M | undefined;
  /** Messages for items that no message of the host stands for, such as what a plugin appended; asked for one at a time. */
  write(items: readonly Item[]): readonly M[];
  /** Two messages with results of one reply as one, for hosts that want all of them in the message behind the reply. */
  join?(one: M, other: M): M;
  /**
   * System content that follows the host's own prompt (pins, blocks of a compaction), as messages; left out where the
   * host takes system content beside its messages.
   */
  readonly system?: ((texts: readonly string[]) => readonly M[]) | undefined;
}

/** A request as the host is about to send it. */
export interface HostRequest<M> {
  /** The whole conversation as the host knows it, the system prompt among it where the host keeps it there. */
  readonly messages: readonly M[];
  /** The system prompt of hosts that keep it beside their messages. */
  readonly system?: string | undefined;
  /** What the model is offered; counted with the request. */
  readonly tools?: readonly ToolSchema[] | undefined;
  /** The model as its provider names it. */
  readonly model?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** What the host sends in its place. */
export interface HostAnswer<M> {
  /** Kept messages are the host's own objects; the very array of the request where nothing differs. */
  readonly messages: readonly M[];
  /** System content that follows the host's own prompt, for hosts that take it beside their messages. */
  readonly system: readonly string[];
}

/** What came back of a request. */
export interface HostReply {
  readonly usage?: Usage | undefined;
  /** The reply itself, where the host tells of it before it is part of the conversation. */
  readonly items?: readonly NewItem[] | undefined;
}
