/**
 * Spans and metrics of all that a kernel does, after the events of its bus: turns, requests, tools, compactions, hooks. No
 * contents of a session are told, only names, numbers and codes.
 */
import type { Attributes, Tracer } from '@opentelemetry/api';
import type { EventMap, HookEndedEvent, TraceContext, Usage, WorkUsage } from '../../core/index';
import {
  agentAttributes,
  ERROR_TYPE,
  HOOK,
  modelAttributes,
  OPERATION,
  OTHER_ERROR,
  SESSION,
  TOOL,
  usageAttributes,
} from './conventions';
import { createInstruments } from './instruments';
import type { Instruments } from './instruments';
import type { OpenTelemetry } from './opentelemetry';
import { Operation } from './operation';
import { NOTHING, SessionTraces } from './session-traces';
import { readTrace, writeTrace } from './trace-context';

/** Milliseconds below which a hook in which nobody did anything has no span of its own. */
const NOTEWORTHY_MS = 1;

export class Telemetry {
  readonly #api: OpenTelemetry;
  readonly #tracer: Tracer;
  readonly #measured: Instruments;
  readonly #sessions = new Map<string, SessionTraces>();
  readonly #compactions = new Map<string, Operation>();

  constructor(api: OpenTelemetry) {
    this.#api = api;
    this.#tracer = api.trace.getTracer('pith');
    this.#measured = createInstruments(api);
  }

  turnStarted({ session, role, turn }: EventMap['turn.started']): void {
    const traces = this.#of(session);
    const name = agentAttributes(role);
    traces.used = NOTHING;
    traces.turn = this.#begin(role === 'main' ? 'invoke_agent' : `invoke_agent ${role}`, {
      attributes: { [OPERATION]: 'invoke_agent', [SESSION]: session, ...name, 'pith.turn.number': turn },
      parent: traces.job ?? this.#api.context.active(),
    });
  }

  turnEnded({ session, role, outcome, code }: EventMap['turn.ended']): void {
    const traces = this.#sessions.get(session);
    if (traces?.turn === undefined) return;
    const { turn, used } = traces;
    traces.turn = undefined;
    traces.lastTurn = turn.span.spanContext();
    const told = { 'pith.turn.outcome': outcome, ...(used.requests > 0 && usageAttributes(used)) };
    const { seconds, failure } = turn.end(told, outcome === 'failed' ? (code ?? OTHER_ERROR) : undefined);
    this.#measured.turn.record(seconds, { ...agentAttributes(role), ...failure });
  }

  runParked({ session, plugin }: EventMap['run.parked']): void {
    this.#sessions.get(session)?.turn?.span.addEvent('pith.run.parked', { 'pith.plugin.name': plugin });
  }

  requestStarted({ session, role, tokens, ...asked }: EventMap['request.started']): void {
    const traces = this.#of(session);
    const to = modelAttributes(asked);
    traces.turn?.span.setAttributes(to);
    traces.request = this.#begin(asked.model === undefined ? 'chat' : `chat ${asked.model}`, {
      kind: this.#api.SpanKind.CLIENT,
      attributes: {
        [OPERATION]: 'chat',
        [SESSION]: session,
        ...agentAttributes(role),
        ...to,
        'pith.request.tokens': tokens,
      },
      parent: traces.parentOf(role) ?? this.#api.context.active(),
    });
  }

  requestEnded({ session, outcome, code, usage, ...asked }: EventMap['request.ended']): void {
    const traces = this.#sessions.get(session);
    if (traces?.request === undefined) return;
    const { request } = traces;
    traces.request = undefined;
    if (usage !== undefined) traces.used = sumOf(traces.used, usage);
    const answeredBy = usage?.model === undefined ? {} : { 'gen_ai.response.model': usage.model };
    const told = {
      'pith.request.outcome': outcome,
      ...answeredBy,
      ...(usage !== undefined && usageAttributes(usage)),
    };
    const { seconds, failure } = request.end(told, outcome === 'failed' ? (code ?? OTHER_ERROR) : undefined);
    const about = { [OPERATION]: 'chat', ...modelAttributes(asked), ...answeredBy };
    this.#measured.request.record(seconds, { ...about, ...failure });
    if (usage === undefined) return;
    this.#measured.tokens.record(usage.inputTokens, { ...about, 'gen_ai.token.type': 'input' });
    if (usage.outputTokens !== undefined)
      this.#measured.tokens.record(usage.outputTokens, { ...about, 'gen_ai.token.type': 'output' });
  }

  /** The tools of a compact worker run at the desk of the agent and are told there, once, wherever the worker is. */
  toolStarted(running: EventMap['tool.started']): void {
    const { sessionId, role, callId, tool } = running;
    const traces = this.#of(sessionId);
    if (traces.job !== undefined) return;
    const operation = this.#begin(`execute_tool ${tool}`, {
      attributes: {
        [OPERATION]: 'execute_tool',
        [SESSION]: sessionId,
        [TOOL]: tool,
        'gen_ai.tool.call.id': callId,
        'gen_ai.tool.type': 'function',
        ...agentAttributes(role),
      },
      parent: traces.parentOf(role) ?? this.#api.context.active(),
    });
    traces.begin(running, operation);
  }

  toolEnded({ outcome, ...running }: EventMap['tool.ended']): void {
    const { sessionId, role, tool } = running;
    const operation = this.#sessions.get(sessionId)?.ended(running);
    if (operation === undefined) return;
    const type = outcome === 'error' ? OTHER_ERROR : undefined;
    const { seconds, failure } = operation.end({ 'pith.tool.outcome': outcome }, type);
    this.#measured.tool.record(seconds, { [TOOL]: tool, ...agentAttributes(role), ...failure });
  }

  compactionStarted({ session, compaction, trigger, ...facts }: EventMap['compaction.started']): void {
    const traces = this.#of(session);
    const { turn, lastTurn } = traces;
    const operation = this.#begin('pith.compaction', {
      attributes: {
        [SESSION]: session,
        'pith.compaction.id': compaction,
        'pith.compaction.trigger': trigger,
        'pith.compaction.tokens.before': facts.before,
        'pith.compaction.tokens.summarised': facts.summarised.tokens,
      },
      parent: turn?.context ?? this.#api.context.active(),
      ...(turn === undefined && lastTurn !== undefined && { links: [{ context: lastTurn }] }),
    });
    traces.compaction = operation;
    this.#compactions.set(compaction, operation);
  }

  compactionEnded({ session, compaction, ...end }: EventMap['compaction.done']): void {
    const operation = this.#compactions.get(compaction);
    if (operation === undefined) return;
    this.#compactions.delete(compaction);
    const traces = this.#sessions.get(session);
    if (traces?.compaction === operation) traces.compaction = undefined;
    const { trigger, worker, outcome, model, usage, before, after, marks, references } = end;
    const told = {
      'pith.compaction.outcome': outcome,
      'pith.compaction.worker': worker,
      'pith.compaction.marks': marks,
      'pith.compaction.references': references,
      ...(after !== undefined && { 'pith.compaction.tokens.after': after }),
      ...modelAttributes(model === undefined ? {} : { model }),
      ...(usage.requests > 0 && usageAttributes(usage)),
    };
    const isFailure = outcome !== 'done' && outcome !== 'cancelled';
    const { seconds, failure } = operation.end(told, isFailure ? outcome : undefined);
    const about = {
      'pith.compaction.trigger': trigger,
      'pith.compaction.worker': worker,
      'pith.compaction.outcome': outcome,
    };
    this.#measured.compaction.record(seconds, { ...about, ...failure });
    if (outcome === 'done' && after !== undefined) this.#measured.freed.record(Math.max(0, before - after), about);
  }

  /** The turns of a worker are a part of the compaction, in whichever process that is. */
  jobTaken({ session, trace }: EventMap['job.taken']): void {
    const { context, trace: traces } = this.#api;
    const parent = trace && readTrace(this.#api, trace);
    this.#of(session).job =
      parent === undefined ? context.active() : traces.setSpanContext(this.#api.ROOT_CONTEXT, parent);
  }

  hookEnded({ hook, role = 'main', session, durationMs, ended, failed, code }: HookEndedEvent): void {
    const failure: Attributes = failed.length > 0 ? { [ERROR_TYPE]: 'PITH_HOOK_FAILED' } : {};
    this.#measured.hook.record(durationMs / 1000, { [HOOK]: hook, ...agentAttributes(role), ...failure });
    if (session === undefined) return;
    const parent = this.#sessions.get(session)?.parentOf(role);
    const isNoteworthy = durationMs >= NOTEWORTHY_MS || ended !== undefined || failed.length > 0;
    if (parent !== undefined && isNoteworthy) {
      const came = ended && { 'pith.plugin.name': ended.plugin, 'pith.hook.result': ended.do };
      const faulty = failed.length > 0 && { 'pith.hook.failed': [...failed] };
      const cut = code !== undefined && { 'pith.hook.code': code };
      const attributes = { [HOOK]: hook, [SESSION]: session, ...came, ...faulty, ...cut, ...failure };
      const startTime = Date.now() - durationMs;
      const span = this.#tracer.startSpan(`pith.hook ${hook}`, { attributes, startTime }, parent);
      if (failed.length > 0) span.setStatus({ code: this.#api.SpanStatusCode.ERROR });
      span.end();
    }
    if (hook === 'session_end') this.#sessions.delete(session);
  }

  /** What work of a compaction is to be traced under, elsewhere too. */
  traceOf(compaction: string): TraceContext | undefined {
    const operation = this.#compactions.get(compaction);
    return operation && writeTrace(this.#api, operation.span.spanContext());
  }

  /** Ends what is still open, so that it is told as far as it came. */
  close(): void {
    const open = [...this.#sessions.values()].flatMap((traces) => traces.open());
    for (const operation of [...open, ...this.#compactions.values()]) operation.end({});
    this.#sessions.clear();
    this.#compactions.clear();
  }

  #of(session: string): SessionTraces {
    let traces = this.#sessions.get(session);
    if (traces === undefined) this.#sessions.set(session, (traces = new SessionTraces()));
    return traces;
  }

  #begin(name: string, options: ConstructorParameters<typeof Operation>[3]): Operation {
    return new Operation(this.#api, this.#tracer, name, options);
  }
}

function sumOf(used: WorkUsage, { inputTokens, outputTokens = 0, ...cache }: Usage): WorkUsage {
  return {
    requests: used.requests + 1,
    inputTokens: used.inputTokens + inputTokens,
    cacheReadTokens: used.cacheReadTokens + (cache.cacheReadTokens ?? 0),
    cacheWriteTokens: used.cacheWriteTokens + (cache.cacheWriteTokens ?? 0),
    outputTokens: used.outputTokens + outputTokens,
  };
}
