/** Messages of LangChain as items and back (S5.1). The system content of Pith goes into the system message of the request. */
import type { Item, Part, ToolResultItem } from '../../session/items';
import type { HostCodec } from '../host-codec';
import { contentOf, contentWith } from './contents';
import type { LangChainMessage } from './host-types';
import { changed, MessageClasses } from './message-copies';
import { isReply, piecesOf } from './pieces';
import { replyWith } from './reply';

/** A codec for the conversations of one host: it learns the classes of the messages that it reads. */
export function createCodec(): HostCodec<LangChainMessage> {
  const classes = new MessageClasses();

  function written(item: Item): readonly LangChainMessage[] {
    switch (item.kind) {
      case 'message':
        return [classes.make(item.role === 'assistant' ? 'ai' : 'human', { content: contentOf(item.parts) })];
      case 'tool_call': {
        const { callId: id, name, arguments: args } = item;
        return [classes.make('ai', { content: '', tool_calls: [{ type: 'tool_call', id, name, args }] })];
      }
      case 'tool_result': {
        const status = item.isError === true ? 'error' : 'success';
        return [classes.make('tool', { tool_call_id: item.callId, status, content: contentOf(sentParts(item)) })];
      }
      case 'reasoning':
        return [];
    }
  }

  return {
    wholeReplies: true,
    read(message) {
      classes.see(message);
      return piecesOf(message).map(({ item }) => item);
    },
    edit(message, items) {
      if (items.every((item) => item === undefined)) return undefined;
      if (isReply(message)) return replyWith(message, items);
      const [item] = items as readonly [Item];
      if (item.kind === 'tool_result')
        return changed(message, { tool_call_id: item.callId, content: contentWith(message.content, sentParts(item)) });
      // A note of the system comes as one of the user.
      const [was] = piecesOf(message).map((piece) => piece.item);
      const isOfRole = item.kind === 'message' && was?.kind === 'message' && item.role === was.role;
      return isOfRole ? changed(message, { content: contentWith(message.content, item.parts) }) : written(item)[0];
    },
    write: (items) => items.flatMap(written),
  };
}

/** What is sent of a result: its content if it is there, else its summary (S5.1). */
function sentParts({ content = [], summary }: ToolResultItem): readonly Part[] {
  return content.length === 0 ? [{ type: 'text', text: summary }] : content;
}
