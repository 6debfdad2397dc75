/** Reading session files of other agents (S12.3): detection, the registry, and one way in. */
import { PithError } from '../errors';
import { aiSdk } from './ai-sdk';
import { anthropic } from './anthropic';
import { claudeCode } from './claude-code';
import { cline } from './cline';
import { codex } from './codex';
import { detectFormat, isIn, mismatch, namedFormat } from './detect';
import type { ImportedSession, SessionFormat, Source } from './format';
import { geminiCli } from './gemini-cli';
import { langchain } from './langchain';
import { openAiChat } from './openai-chat';
import { opencode } from './opencode';
import { openhands } from './openhands';
import { pi } from './pi';
import { pith } from './pith';

export type { ContextWriter, ImportedSession, SessionFormat, Source } from './format';
export { WRITERS, writeAiSdk, writeAnthropic, writeOpenAiChat, writePith } from './write';
export type {
  AiSdkContext,
  AiSdkMessage,
  AnthropicBlock,
  AnthropicContext,
  OpenAiChatOptions,
  OpenAiMessage,
} from './write';
export { createImportedSession } from './imported-session';
export { createSource, MAX_INPUT_BYTES, readSource } from './source';

/** Every format that is read, the most particular first: of two that are equally sure the earlier one is taken. */
export const FORMATS: readonly SessionFormat[] = [
  pith,
  claudeCode,
  codex,
  pi,
  geminiCli,
  opencode,
  openhands,
  cline,
  langchain,
  aiSdk,
  anthropic,
  openAiChat,
];

/**
 * The conversations that a source holds, in its order; those without any item are left out. The format is detected
 * unless it is named. Throws `PITH_FORMAT_UNKNOWN`, `PITH_FORMAT_MISMATCH`, and `PITH_INPUT_EMPTY` where nothing was said.
 */
export function readSessions(
  source: Source,
  name?: string,
  formats: readonly SessionFormat[] = FORMATS,
): readonly ImportedSession[] {
  const format = name === undefined ? detectFormat(source, formats) : namedFormat(source, name, formats);
  const sessions = format.read(source).filter((session) => session.records.some((record) => record.t === 'item'));
  if (sessions.length > 0) return sessions;
  if (!isIn(source, format)) throw mismatch(source, format, formats);
  throw new PithError('PITH_INPUT_EMPTY', `${source.path} (${format.name}) holds no conversation`);
}
