/** What a model answered, as the session is told of it. */
import type { ModelVersion } from '../../llm/language-model';
import { normaliseUsage } from '../../llm/usage';
import type { HostReply } from '../host-codec';
import type { HostSession } from '../host-session';
import type { AiSdkMessage, AiSdkPart, AiSdkReply } from './host-types';
import { itemOf } from './items';

/** From which model of which version a reply is. */
interface ReplySource {
  readonly model: string;
  readonly version: ModelVersion;
}

/**
 * Tells a session of a reply, and of the end of the turn where the reply calls no tool of the host. Nothing waits for it:
 * what is asked of the session later waits its turn there.
 */
export function tellReply(session: HostSession<AiSdkMessage>, reply: AiSdkReply, source: ReplySource): void {
  void session.afterReply(replyOf(reply, source));
  if (reply.content.some(isHostCall)) return;
  void session.afterRun(undefined, reasonOf(reply.finishReason) === 'error' ? 'failed' : 'finished');
}

/**
 * A reply that calls tools comes with the next request, with arguments as the schemas of the SDK made them, and is not told
 * before; so is one with parts that the SDK rewrites.
 */
function replyOf({ content, usage, providerMetadata }: AiSdkReply, { model, version }: ReplySource): HostReply {
  const items = content.every(isPlain) ? content.flatMap((part) => itemOf(part) ?? []) : undefined;
  return { usage: normaliseUsage(usage, { model, version, providerMetadata }), items };
}

function isPlain({ type }: AiSdkPart): boolean {
  return type === 'text' || type === 'reasoning' || type === 'source';
}

function isHostCall(part: AiSdkPart): boolean {
  return part.type === 'tool-call' && (part as { readonly providerExecuted?: unknown }).providerExecuted !== true;
}

/** Versions 3 and 4 tell the provider's own word beside the common one. */
function reasonOf(reason: unknown): unknown {
  return typeof reason === 'object' && reason !== null && 'unified' in reason ? reason.unified : reason;
}
