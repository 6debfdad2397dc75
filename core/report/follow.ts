/** Reports of sessions (S12): made of the log alone, at once or as it grows. Each record is looked at once. */
import { basename } from 'node:path';
import { occupancyAt, SessionWalk, tokensOf } from '../agent/inspect';
import { CompactionWalk } from '../agent/past-compactions';
import type { LoggedCompaction } from '../agent/past-compactions';
import { PastContext } from '../agent/past-context';
import { positive } from '../agent/recorded-compaction';
import type { FileNames, InspectedFile } from '../agent/touched-files';
import { CONTEXT } from '../context/context';
import { FILE_SOURCE } from '../files/file-source';
import type { Kernel } from '../kernel/kernel';
import type { Position, SessionRecord } from '../session/records';
import type { Session } from '../session/session';
import { inputLimit } from '../tokens/model-limits';
import { TOKENIZER } from '../tokens/tokenizer';
import type { Tokenizer } from '../tokens/tokenizer';
import type { LiveEvents, Report, ReportCompaction, ReportSource, ReportTurn, RequestOccupancy } from './report';
import { chosenCompaction, reportCompaction, sidesOf, triedCompaction, wholePlan } from './report-compaction';
import type { CompactionChoice, CompactionSides, SidedCompaction } from './report-compaction';
import { isEvent, ReportEvents } from './report-events';
import type { EventRecord } from './report-events';
import { FilesMade } from './report-files';
import { beginningOf, ReportMap } from './report-map';

/** What a report is made with; all but the kernel of the session may be left out. */
export interface ReportParts {
  /** Of which tokenizer and names of files are taken. */
  readonly kernel: Pick<Kernel, 'get'>;
  /** How the files of the session are named, where the kernel's source of files is not of this session. */
  readonly files?: FileNames;
  /** Where the session was read from. */
  readonly source?: Partial<Pick<ReportSource, 'format' | 'path'>>;
  readonly thresholds?: Report['thresholds'];
  /** Input tokens that the model accepts, instead of what is known of the model. */
  readonly limit?: number | undefined;
  /** The compaction to tell of, by its 1-based number or by what came of it. */
  readonly compaction?: CompactionChoice | undefined;
  /** Tokens that auto-reads may take. */
  readonly autoReadBudget?: number | undefined;
  /** What could be done now; asked for whenever the whole is told. */
  readonly outlook?: () => Report['outlook'];
  /** Milliseconds since the epoch that it says it was made at; now by default. */
  readonly madeAt?: number;
}

/** The report of a session that grows. */
export interface FollowedReport {
  /** The whole as it is now. */
  report(): Report;
  /**
   * What the log has grown by since the last call of this or of `report`; undefined where it has not. Where that changes what was
   * told before, it is the whole. Costs what was added, and what the context is long.
   */
  update(): Change | undefined;
}

/** What those who know the former report are to be told. */
export type Change = { readonly [K in 'report' | 'grown']: { readonly event: K; readonly data: LiveEvents[K] } }[
  'report' | 'grown'];

/** The report of a session as it is now. Costs a walk through its log; the session needs a kernel, for its context. */
export function sessionReport(session: Session, parts: ReportParts): Report {
  return followReport(session, parts).report();
}

/** Begins to follow a session; what it is now is read when it is first asked for. */
export function followReport(session: Session, parts: ReportParts): FollowedReport {
  return new Follower(session, parts);
}

/** Records behind which something that was told before may be told otherwise. */
function changesThePast(record: SessionRecord): boolean {
  switch (record.t) {
    case 'edits':
    case 'checkpoint':
    case 'undo':
      return true;
    case 'compaction':
      return record.phase !== 'start';
    case 'pin':
      return record.item !== undefined;
    case 'settings':
      return record.model !== undefined;
    default:
      return false;
  }
}

class Follower implements FollowedReport {
  readonly #session: Session;
  readonly #parts: ReportParts;
  readonly #tokenizer: Tokenizer;
  readonly #names: FileNames;
  readonly #walk: SessionWalk;
  readonly #compactions = new CompactionWalk();
  readonly #events = new ReportEvents(this.#compactions);
  readonly #map: ReportMap;
  readonly #past: PastContext;
  readonly #occupancy: RequestOccupancy[] = [];
  /** What stood on both sides of compactions, by where those were applied, or began. */
  readonly #sides = new Map<Position, CompactionSides>();
  #made: FilesMade;
  #next: Position = 0;
  /** How many requests, turns and items are told, where those who know them need not be told anew. */
  #told = { requests: 0, turns: 0, items: 0 };

  constructor(session: Session, parts: ReportParts) {
    this.#session = session;
    this.#parts = parts;
    this.#tokenizer = parts.kernel.get(TOKENIZER);
    this.#names = parts.files ?? parts.kernel.get(FILE_SOURCE);
    this.#walk = new SessionWalk({ tokenizer: this.#tokenizer, files: this.#names });
    this.#map = new ReportMap(session, this.#tokenizer);
    this.#past = new PastContext(session, this.#tokenizer);
    this.#made = new FilesMade(undefined, this.#names, this.#tokenizer);
  }

  report(): Report {
    this.#catchUp();
    const { source: { path } = {}, thresholds = [], madeAt = Date.now() } = this.#parts;
    const context = this.#session.get(CONTEXT);
    const limits = context.limits();
    const limit = this.#parts.limit ?? (limits.source === 'default' ? undefined : inputLimit(limits));
    const chosen = this.#chosen();
    const compaction = this.#compaction(chosen);
    this.#made = new FilesMade(chosen, this.#names, this.#tokenizer);
    const checkpoint = chosen === undefined || this.#isUndone(chosen) ? undefined : chosen.checkpoint;
    this.#map.readAnew(checkpoint ? { cut: checkpoint.cut, ranges: this.#made.ranges } : undefined);
    this.#map.judge(context, 0);
    const report: Report = {
      schema: 'pith.report/1',
      title: path === undefined || path === '-' ? this.#session.id : basename(path),
      source: this.#source(),
      madeAt,
      ...(limit !== undefined && { limit }),
      thresholds,
      tokens: tokensOf(context.view(), this.#tokenizer),
      occupancy: this.#occupancy.slice(),
      events: this.#events.list(),
      turns: this.#turns(0),
      map: this.#map.items(),
      files: this.#made.all(this.#walk.files.byKey),
      ...(compaction !== undefined && { compaction }),
      outlook: this.#outlook(),
      integrity: this.#walk.looseEnds.count,
    };
    this.#remember();
    return report;
  }

  update(): Change | undefined {
    const from = this.#next;
    const { touched, isOtherwise } = this.#catchUp();
    if (this.#next === from) return undefined;
    const { requests, turns, items } = this.#told;
    const context = this.#session.get(CONTEXT);
    // A reply that goes on may have reasoning sent which was not before.
    const reply = this.#walk.requests.requests[requests - 1]?.item ?? items;
    const judged = isOtherwise ? undefined : this.#map.judge(context, Math.min(reply, items));
    if (isOtherwise || (judged !== undefined && judged < items)) return { event: 'report', data: this.report() };
    const files = this.#walk.files.byKey;
    const data = {
      tokens: tokensOf(context.view(), this.#tokenizer),
      source: this.#source(),
      occupancy: this.#occupancy.slice(requests),
      map: this.#map.items(items),
      turns: this.#turns(Math.max(0, turns - 1)),
      files: this.#made.of([...touched].map((key) => [key, files.get(key) as InspectedFile] as const)),
      integrity: this.#walk.looseEnds.count,
    };
    this.#remember();
    return { event: 'grown', data };
  }

  /** Takes in what is new in the log: which files it shows to have been touched, and whether what was told before may not hold. */
  #catchUp(): { readonly touched: ReadonlySet<string>; readonly isOtherwise: boolean } {
    const { requests, turns } = this.#walk;
    const { isRecorded } = turns;
    const touched = new Set<string>();
    const moments: Moment[] = [];
    let isOtherwise = false;
    for (const record of this.#session.records(this.#next)) {
      const known = requests.requests.length;
      const touches = this.#walk.take(record);
      this.#compactions.take(record);
      this.#map.take(record, touches);
      for (const { key } of touches) touched.add(key);
      isOtherwise ||= changesThePast(record);
      const count = requests.requests.length;
      const { seq } = record;
      if (count > known) moments.push({ seq, look: () => this.#measure(count - 1) });
      if (isEvent(record)) {
        const place = { request: count + 1, item: this.#map.length };
        moments.push({ seq, look: () => this.#events.add(record, place, this.#around(record)) });
      }
    }
    this.#measureAgain();
    const before = this.#next;
    this.#next = this.#session.position + 1;
    const chosen = this.#chosen();
    if (chosen !== undefined && placeOf(chosen) >= before) {
      // Before the others of its place, as these look at what lies behind it.
      const at = moments.findIndex(({ seq }) => seq >= placeOf(chosen));
      moments.splice(at === -1 ? moments.length : at, 0, { seq: placeOf(chosen), look: () => this.#sidesOf(chosen) });
    }
    for (const { look } of moments) look();
    return { touched, isOtherwise: isOtherwise || (turns.isRecorded !== isRecorded && before > 0) };
  }

  /** The size of a request, which is the newest so far. */
  #measure(at: number): void {
    const request = this.#walk.requests.requests[at];
    if (request !== undefined) this.#occupancy[at] = occupancyAt(at + 1, request, this.#past);
  }

  /** What the provider measured may come after the reply. */
  #measureAgain(): void {
    const at = this.#occupancy.length - 1;
    const known = this.#occupancy[at];
    const usage = this.#walk.requests.requests[at]?.usage;
    if (known === undefined || usage === undefined) return;
    if (known.source === 'measured' && known.tokens === Math.round(usage.inputTokens)) return;
    this.#occupancy[at] = { ...known, tokens: Math.round(usage.inputTokens), source: 'measured' };
    this.#told.requests = Math.min(this.#told.requests, at);
  }

  /** What the context took around an event. */
  #around(record: EventRecord): { before(): number; after(): number } {
    const { seq } = record;
    if (record.t === 'checkpoint') {
      const sides = (): CompactionSides =>
        this.#sidesOf({
          began: seq,
          checkpoint: record,
          beforeTokens: positive(record.before),
          afterTokens: positive(record.after),
        });
      return { before: () => sides().before.tokens, after: () => sides().after?.tokens ?? 0 };
    }
    const tokensAt = (end: Position): number => Math.round(this.#past.at(end).occupancy().tokens);
    return { before: () => tokensAt(seq), after: () => tokensAt(seq + 1) };
  }

  /** What stood on both sides of a compaction; to be asked for while the past is not beyond it, else it begins anew. */
  #sidesOf(compaction: SidedCompaction, past = this.#past): CompactionSides {
    const place = placeOf(compaction);
    const sides = this.#sides.get(place) ?? sidesOf(this.#session, compaction, past, this.#tokenizer);
    this.#sides.set(place, sides);
    return sides;
  }

  #chosen(): LoggedCompaction | undefined {
    return chosenCompaction(this.#compactions.list(), (one) => this.#isUndone(one), this.#parts.compaction);
  }

  #isUndone({ checkpoint }: LoggedCompaction): boolean {
    return checkpoint !== null && this.#compactions.isUndone(checkpoint.seq);
  }

  #compaction(chosen: LoggedCompaction | undefined): ReportCompaction | undefined {
    const { compaction: choice, autoReadBudget } = this.#parts;
    const budget = autoReadBudget === undefined ? {} : { autoReadBudget };
    if (chosen !== undefined) {
      // One that another was undone for may lie farther back than the past has come to.
      const sides = this.#sidesOf(chosen, new PastContext(this.#session, this.#tokenizer));
      const number = this.#compactions.numberOf(chosen.id);
      return {
        ...reportCompaction(chosen, sides, this.#tokenizer),
        number,
        ...(this.#isUndone(chosen) && { isUndone: true as const }),
        ...budget,
      };
    }
    if (typeof choice !== 'object') return undefined;
    return { ...triedCompaction(choice, this.#session.get(CONTEXT).view(), this.#tokenizer), ...budget };
  }

  #outlook(): Report['outlook'] {
    const { prune, plan } = this.#parts.outlook?.() ?? {};
    return {
      ...(prune !== undefined && {
        prune: { candidates: prune.candidates, savedTokens: Math.round(prune.savedTokens) },
      }),
      ...(plan !== undefined && { plan: wholePlan(plan) }),
    };
  }

  #source(): ReportSource {
    const { format = 'pith', path } = this.#parts.source ?? {};
    const { model } = this.#session.get(CONTEXT).settings();
    return {
      format,
      ...(path !== undefined && { path }),
      sessionId: this.#session.id,
      items: this.#map.length,
      turns: this.#walk.turns.length,
      requests: this.#occupancy.length,
      ...(model !== undefined && { model }),
    };
  }

  /** The turns from a 0-based number on. */
  #turns(from: number): readonly ReportTurn[] {
    return this.#walk.turns
      .turns(from)
      .map((turn) => ({ ...turn, prompt: beginningOf(this.#session.item(turn.fromItem)) }));
  }

  #remember(): void {
    this.#told = { requests: this.#occupancy.length, turns: this.#walk.turns.length, items: this.#map.length };
  }
}

/** What is looked at where the log has come to a position. */
interface Moment {
  readonly seq: Position;
  look(): void;
}

/** Where a compaction was applied, or else began. */
function placeOf({ began, checkpoint }: SidedCompaction): Position {
  return checkpoint?.seq ?? began;
}
