/** Writes a context as AI SDK `{ system, messages }` (S12.1), in the parts that versions 5 and 6 both take. */
import type { ContextView } from '../../context/view';
import type { Part, ReasoningItem } from '../../session/items';
import { imageNote, sentImage } from './images';
import { optionsOf, reasoningOptionsOf } from './provider-options';
import type { PartOptions } from './provider-options';
import { systemTexts, turnsOf } from './turns';
import type { JsonObject, Said, WrittenResult } from './turns';

/** A context in the shape of the AI SDK. */
export interface AiSdkContext {
  /** For the `system` parameter: all system content, joined by blank lines. */
  readonly system?: string;
  readonly messages: readonly AiSdkMessage[];
}

/** A message of the AI SDK. */
export type AiSdkMessage =
  | { readonly role: 'user'; readonly content: string | readonly (AiSdkText | AiSdkImage)[] }
  | { readonly role: 'assistant'; readonly content: readonly AiSdkReplyPart[] }
  | { readonly role: 'tool'; readonly content: readonly AiSdkResult[] };

interface AiSdkText extends PartOptions {
  readonly type: 'text';
  readonly text: string;
}

interface AiSdkImage {
  readonly type: 'image';
  /** Base64 or a web address. */
  readonly image: string;
  readonly mediaType?: string;
}

type AiSdkReplyPart =
  | AiSdkText
  | ({ readonly type: 'reasoning'; readonly text: string } & PartOptions)
  | ({
      readonly type: 'tool-call';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonObject;
    } & PartOptions);

interface AiSdkResult {
  readonly type: 'tool-result';
  readonly toolCallId: string;
  readonly toolName: string;
  readonly output:
    | { readonly type: 'text' | 'error-text'; readonly value: string }
    | {
        readonly type: 'content';
        readonly value: readonly (
          AiSdkText | { readonly type: 'media'; readonly data: string; readonly mediaType: string }
        )[];
      };
}

/** Reasoning goes along with the data of its provider; readable reasoning of unknown origin goes as it is. */
export function writeAiSdk(context: Pick<ContextView, 'system' | 'items'>): AiSdkContext {
  const messages: AiSdkMessage[] = [];
  for (const turn of turnsOf(context)) {
    if (turn.from === 'user') {
      messages.push({ role: 'user', content: userContent(turn.parts) });
      continue;
    }
    if (turn.said.length > 0) messages.push({ role: 'assistant', content: turn.said.flatMap(partsOf) });
    if (turn.results.length > 0) messages.push({ role: 'tool', content: turn.results.map(resultOf) });
  }
  const system = systemTexts(context).join('\n\n');
  return { ...(system !== '' && { system }), messages };
}

function userContent(parts: readonly Part[]): string | readonly (AiSdkText | AiSdkImage)[] {
  const [only] = parts;
  if (parts.length === 1 && only?.type === 'text') return only.text;
  return parts.map((part) => {
    const image = part.type === 'image' ? sentImage(part) : undefined;
    if (image === undefined) return textOf(part);
    return 'url' in image
      ? { type: 'image', image: image.url }
      : { type: 'image', image: image.data, mediaType: image.mediaType };
  });
}

function partsOf(said: Said): readonly AiSdkReplyPart[] {
  switch (said.kind) {
    case 'message':
      return said.parts.map((part) => ({ ...textOf(part), ...optionsOf(said.item.provider) }));
    case 'call':
      return [
        { type: 'tool-call', toolCallId: said.id, toolName: said.name, input: said.input, ...optionsOf(said.provider) },
      ];
    case 'reasoning':
      return reasoningOf(said.item);
  }
}

function reasoningOf(item: ReasoningItem): readonly AiSdkReplyPart[] {
  const options = reasoningOptionsOf(item);
  const says = item.text !== undefined && item.text.trim() !== '';
  return says || 'providerOptions' in options ? [{ type: 'reasoning', text: item.text ?? '', ...options }] : [];
}

function resultOf(result: WrittenResult): AiSdkResult {
  const named = { type: 'tool-result' as const, toolCallId: result.id, toolName: result.name };
  const texts = result.parts.map(textOf);
  const shown = result.parts.map((part, index) => {
    const image = part.type === 'image' ? sentImage(part) : undefined;
    const bytes = image !== undefined && 'data' in image ? image : undefined;
    return bytes === undefined ? (texts[index] as AiSdkText) : { type: 'media' as const, ...bytes };
  });
  if (shown.some((part) => part.type === 'media')) return { ...named, output: { type: 'content', value: shown } };
  return {
    ...named,
    output: { type: result.isError ? 'error-text' : 'text', value: texts.map(({ text }) => text).join('\n\n') },
  };
}

function textOf(part: Part): AiSdkText {
  return { type: 'text', text: part.type === 'text' ? part.text : imageNote(part) };
}
