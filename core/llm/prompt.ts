/** Renders a context as the prompt of an AI SDK language model. Which places get cache marks is told along. */
import { imageNote, sentImage } from '../formats/write/images';
import type { SentImage } from '../formats/write/images';
import { optionsOf, reasoningOptionsOf } from '../formats/write/provider-options';
import { systemTexts, turnsOf } from '../formats/write/turns';
import type { Said, WrittenResult, WrittenTurn } from '../formats/write/turns';
import type { Part, ReasoningItem } from '../session/items';
import { sameModel } from '../tokens/model-name';
import type { MarkPlaces } from './cache-marks';
import type { LlmRequest, ProviderProfile } from './client';
import type {
  ModelVersion,
  PromptFile,
  PromptMessage,
  PromptReplyPart,
  PromptResult,
  PromptResultPart,
  PromptText,
} from './language-model';
import type { WireTraits } from './profiles';

/** To whom a prompt is written. */
export interface Reader {
  readonly model: string;
  readonly profile: Pick<ProviderProfile, 'system'>;
  readonly traits: WireTraits;
  readonly version: ModelVersion;
  /** Whether the provider keeps replies, so that reasoning may be named by its id alone. */
  readonly keepsReplies: boolean;
}

export interface Prompt {
  readonly messages: readonly PromptMessage[];
  readonly places: MarkPlaces;
}

/** Linear in the context, which is sent anyway. */
export function renderPrompt({ context, stable }: Pick<LlmRequest, 'context' | 'stable'>, reader: Reader): Prompt {
  const messages: PromptMessage[] = [];
  const texts = systemTexts(context);
  const one = reader.profile.system === 'one' && texts.length > 0;
  for (const content of one ? [texts.join('\n\n')] : texts) messages.push({ role: 'system', content });
  const system = messages.length - 1;
  const lasting = systemTexts({ system: context.system.filter(({ kind }) => kind !== 'block') }).length - 1;
  let newest = -1;
  for (const turn of turnsOf(context)) {
    messages.push(...turnMessages(turn, reader));
    if (turn.end <= (stable ?? Infinity)) newest = messages.length - 1;
  }
  return { messages, places: { prompt: one ? system : lasting, system, newest } };
}

/** The messages of one turn; none where the reader takes nothing of it. */
export function turnMessages(turn: WrittenTurn, reader: Reader): readonly PromptMessage[] {
  if (turn.from === 'user')
    return [{ role: 'user', content: turn.parts.map((part) => userPart(part, reader.version)) }];
  const sealed = reader.traits.reasoning === 'encrypted' ? sealedIds(turn.said) : NONE;
  const said = turn.said.flatMap((one) => replyParts(one, reader, sealed));
  return [
    ...(said.length > 0 ? [{ role: 'assistant' as const, content: said }] : []),
    ...(turn.results.length > 0 ? resultMessages(turn.results, reader) : []),
  ];
}

function userPart(part: Part, version: ModelVersion): PromptText | PromptFile {
  const image = part.type === 'image' ? sentImage(part) : undefined;
  return image === undefined ? textOf(part) : fileOf(image, version);
}

function fileOf(image: SentImage, version: ModelVersion): PromptFile {
  const tagged = version === 'v4';
  if ('url' in image) {
    const url = new URL(image.url);
    return { type: 'file', mediaType: 'image/*', data: tagged ? { type: 'url', url } : url };
  }
  const { data, mediaType } = image;
  return { type: 'file', mediaType, data: tagged ? { type: 'data', data } : data };
}

function replyParts(said: Said, reader: Reader, sealed: ReadonlySet<unknown>): readonly PromptReplyPart[] {
  switch (said.kind) {
    case 'message':
      return said.parts.map((part) => ({ ...textOf(part), ...optionsOf(said.item.provider) }));
    case 'call': {
      const { id: toolCallId, name: toolName, input, provider } = said;
      return [{ type: 'tool-call', toolCallId, toolName, input, ...optionsOf(provider) }];
    }
    case 'reasoning':
      return takesBack(said.item, reader, sealed)
        ? [{ type: 'reasoning', text: said.item.text ?? '', ...reasoningOptionsOf(said.item) }]
        : [];
  }
}

const NONE: ReadonlySet<unknown> = new Set();

/** Ids of the reasoning of a reply of which the encrypted content is there, though each summary is an item of its own. */
function sealedIds(said: readonly Said[]): ReadonlySet<unknown> {
  return new Set(
    said.flatMap((one) => (one.kind === 'reasoning' && one.item.opaque !== undefined ? [encryptedId(one.item)] : [])),
  );
}

function encryptedId({ provider }: ReasoningItem): unknown {
  const own = provider?.['openai'] ?? provider?.['azure'];
  return typeof own === 'object' && own !== null && 'itemId' in own ? own.itemId : undefined;
}

/** Reasoning goes back only to the model that made it, and only in the form in which its provider takes it. */
function takesBack(item: ReasoningItem, reader: Reader, sealed: ReadonlySet<unknown>): boolean {
  const { model, traits, keepsReplies } = reader;
  if (item.model !== undefined && !sameModel(item.model, model)) return false;
  const { anthropic, openai, azure, openaiChat } = item.provider ?? {};
  switch (traits.reasoning) {
    case 'signed':
      return anthropic !== undefined && item.opaque !== undefined;
    case 'encrypted':
      return (openai ?? azure) !== undefined && (keepsReplies || sealed.has(encryptedId(item)));
    case 'field':
      return openaiChat !== undefined && item.text !== undefined;
    case 'any':
      return item.text !== undefined || item.opaque !== undefined || item.provider !== undefined;
  }
}

function resultMessages(results: readonly WrittenResult[], { traits, version }: Reader): readonly PromptMessage[] {
  if (traits.resultImages === 'inside') {
    const inside = results.map((result) => resultOf(result, outputOf(result, version)));
    return [{ role: 'tool', content: inside }];
  }
  const shown = results.flatMap(({ id, name, parts }) => {
    const images = parts.map((part) => userPart(part, version)).filter((part) => part.type === 'file');
    const title = `[Images of the result of ${name}, call ${id}]`;
    return images.length === 0 ? [] : [{ type: 'text' as const, text: title }, ...images];
  });
  const tool: PromptMessage = { role: 'tool', content: results.map((result) => resultOf(result, textOutput(result))) };
  return shown.length === 0 ? [tool] : [tool, { role: 'user', content: shown }];
}

function resultOf({ id, name }: WrittenResult, output: PromptResult['output']): PromptResult {
  return { type: 'tool-result', toolCallId: id, toolName: name, output };
}

/** What a tool gave, with its images. Plain text wherever no image is shown, since only text can be marked as an error. */
export function outputOf(
  result: Pick<WrittenResult, 'parts' | 'isError'>,
  version: ModelVersion,
): PromptResult['output'] {
  const shown = result.parts.map((part) => resultPart(part, version));
  return shown.some((part) => part.type !== 'text') ? { type: 'content', value: shown } : textOutput(result);
}

function textOutput({ parts, isError }: Pick<WrittenResult, 'parts' | 'isError'>): PromptResult['output'] {
  return { type: isError ? 'error-text' : 'text', value: parts.map((part) => textOf(part).text).join('\n\n') };
}

function resultPart(part: Part, version: ModelVersion): PromptResultPart {
  const image = part.type === 'image' ? sentImage(part) : undefined;
  if (image === undefined) return textOf(part);
  if (version === 'v4') return fileOf(image, version);
  if ('url' in image) return version === 'v3' ? { type: 'image-url', url: image.url } : textOf(part);
  return { type: version === 'v3' ? 'image-data' : 'media', ...image };
}

function textOf(part: Part): PromptText {
  return { type: 'text', text: part.type === 'text' ? part.text : imageNote(part) };
}
