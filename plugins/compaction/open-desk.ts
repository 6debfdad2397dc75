/** Opens the desk of a compaction (S9.5): the agent's side, where every file, range, mark and word of history is had. */
import { foundText, inSlices, nextSlice, oneLine, searchedItems, searchTexts, withoutColours } from '../../core/index';
import type { Detail, Json, Mark, Reference, Session, Tool, ToolResult } from '../../core/index';
import { Allowance } from './allowance';
import { NO_LINE, openFile } from './auto-read';
import type { Desks, OpenDesk } from './desk';
import { historyOf, type DeskOptions } from './desk-history';
import { deskTools, type DeskAnswer, type DeskWork } from './desk-tools';
import { filePage } from './file-page';
import { HandedIn } from './handed-in';
import { deskPage, type DeskHistory } from './history';
import { Marks, linesText, type MarkRequest } from './marks';
import type { SummaryProblem } from './summary';
import { collapseBlanks } from './quotation';
import { reasonOf, SessionTouches, type TouchedFile } from './touches';

/** References beyond this number are refused; a list that long helps nobody. */
const MAX_REFERENCES = 500;
const NOTE_CHARACTERS = 200;
/** What a worker is told that is shown no contents of files. */
const NO_CONTENTS =
  'Contents of files are not shown to this worker; judge by the history, and mark what is needed: it is read all the same.';

/** The registry as the compaction plugin has it: it opens and closes. */
interface DeskRegistry extends Desks {
  open(options: DeskOptions): OpenDesk;
  close(desk: OpenDesk): void;
}

/** The desks that are open. A session has one at a time. */
export function createDesks(): DeskRegistry {
  const desks = new Map<Session, OpenDesk>();
  let budget: number | undefined;
  return {
    of: (session) => desks.get(session),
    get budget() {
      return budget;
    },
    declareBudget: (tokens) => void (budget = tokens),
    open(options) {
      const desk = new WorkingDesk(options, budget ?? Infinity);
      desks.set(options.session, desk);
      return desk;
    },
    close(desk) {
      if (desks.get(desk.session) === desk) desks.delete(desk.session);
    },
  };
}

class WorkingDesk implements OpenDesk, DeskWork {
  readonly compaction: string;
  readonly session: Session;
  readonly tools: readonly Tool[];
  readonly #options: DeskOptions;
  readonly #handedIn: HandedIn;
  readonly #allowance: Allowance;
  readonly #history: DeskHistory;
  readonly #marks: Marks;
  readonly #references = new Map<string, Reference>();
  readonly #touches: SessionTouches;
  #touched: ReadonlyMap<string, TouchedFile> = new Map();
  #userWords: string | undefined;
  #queue: Promise<unknown> = Promise.resolve();

  constructor(options: DeskOptions, budget: number) {
    this.#options = options;
    this.compaction = options.compaction;
    this.session = options.session;
    this.tools = deskTools(this);
    this.#handedIn = new HandedIn(options.format);
    this.#allowance = new Allowance(options.size);
    this.#touches = new SessionTouches(
      options.session,
      (path) => options.files.display(path),
      (path) => options.files.canonical(path),
    );
    this.#history = historyOf(
      options,
      this.#touches,
      () => this.#touched,
      (text) => this.#mask(text),
    );
    this.#marks = new Marks({
      files: options.files,
      guard: options.guard,
      countText: (text) => options.tokenizer.countText(text),
      most: budget,
      reason: (key) => this.#references.get(key)?.note ?? this.#reason(key),
      recency: (key) => this.#touched.get(key)?.lastItem ?? -1,
    });
    for (const path of options.defaultReferences) this.#refer(path, undefined);
  }

  get summary(): string | undefined {
    return this.#handedIn.text;
  }

  get problems(): readonly SummaryProblem[] {
    return this.#handedIn.problems;
  }

  get marks(): readonly Mark[] {
    return this.#marks.list;
  }

  get markedTokens(): number {
    return this.#marks.tokens;
  }

  get references(): readonly Reference[] {
    return [...this.#references].flatMap(([key, { path, note = this.#reason(key) ?? '' }]) =>
      this.#marks.has(path) ? [] : [{ path, ...(note !== '' && { note }) }],
    );
  }

  tokensWith(request: MarkRequest): Promise<number> {
    return this.#marks.tokensWith(request);
  }

  /** One call after another, so that marks made in parallel keep the budget; each in a slice of its own (S9.11). */
  call(name: string, args: unknown, signal: AbortSignal): Promise<ToolResult> {
    const tool = this.tools.find((candidate) => candidate.name === name);
    if (tool === undefined) {
      const names = this.tools.map((candidate) => candidate.name).join(', ');
      return Promise.resolve(failure(`There is no tool ${oneLine(name).slice(0, 80)}; there are ${names}.`));
    }
    const refusal = this.#allowance.refusal(args);
    if (refusal !== undefined) return Promise.resolve(failure(refusal));
    const run = async (): Promise<ToolResult> => {
      await nextSlice();
      signal.throwIfAborted();
      const result = await this.#options.runTool(tool, args as Json, signal);
      return tool.kind === 'read' ? this.#allowance.handOut(result) : result;
    };
    const outcome = this.#queue.then(run, run);
    this.#queue = outcome.catch(() => undefined);
    return outcome;
  }

  async readFile({ path, offset, limit }: MarkRequest): Promise<DeskAnswer> {
    if (this.#options.readsFiles === false) return failure(NO_CONTENTS);
    const file = await openFile(path, this.#options);
    if (typeof file === 'string') return failure(`${oneLine(path)} ${file}.`);
    const page = filePage(file, offset, limit, this.#options.tokenizer);
    return page === undefined
      ? failure(`${file.path} ${NO_LINE} ${String(offset)}; ${linesText(file)}.`)
      : { summary: `Read ${file.path}`, content: page };
  }

  async mark(request: MarkRequest): Promise<DeskAnswer> {
    await this.#lookBack();
    const { ok, text } = await this.#marks.add(request);
    return ok ? { summary: text } : failure(text);
  }

  unmark(path: string): DeskAnswer {
    const { ok, text } = this.#marks.remove(path);
    return ok ? { summary: text } : failure(text);
  }

  async addReference(path: string, note: string | undefined): Promise<DeskAnswer> {
    await this.#lookBack();
    return this.#refer(path, note);
  }

  #refer(path: string, note: string | undefined): DeskAnswer {
    const { files } = this.#options;
    const key = files.canonical(path);
    if (!this.#references.has(key) && this.#references.size >= MAX_REFERENCES)
      return failure(`There are ${String(MAX_REFERENCES)} references already; no more are taken.`);
    const shown = oneLine(this.#mask(files.display(path)));
    const said = note === undefined ? undefined : this.#mask(oneLine(note)).slice(0, NOTE_CHARACTERS).toWellFormed();
    this.#references.delete(key);
    this.#references.set(key, { path: shown, ...(said !== undefined && { note: said }) });
    return { summary: `Referenced ${shown}.` };
  }

  async searchHistory(query: string, limit: number): Promise<DeskAnswer> {
    const { from, to, mask } = this.#history;
    const texts = searchedItems(this.#history, backwards(from, to));
    const found = await searchTexts(texts, query, limit, mask);
    return {
      summary: `Searched the history for ${JSON.stringify(oneLine(query))}`,
      content: foundText(found, query, limit),
    };
  }

  async readHistory(from: number, limit: number, detail: Detail): Promise<DeskAnswer> {
    if (from === -1) await this.#lookBack();
    const { from: first, end } = this.#history;
    if (from >= 0 && from < first)
      return failure(`Items before #${String(first)} are not part of this; from=-1 shows the earlier summary.`);
    if (from >= end && end > first)
      return failure(`There is no item #${String(from)}; the last is #${String(end - 1)}.`);
    if (from === -1 && first === 0) return failure('There is no earlier summary; begin with from=0.');
    return {
      summary: `Read the history from #${String(from)}`,
      content: deskPage(this.#history, from, limit, detail),
    };
  }

  async writeSummary(text: string): Promise<DeskAnswer> {
    const { summaryMaxTokens, tokenizer } = this.#options;
    this.#userWords ??= await this.#collectUserWords();
    return this.#handedIn.take(this.#mask(text.toWellFormed()), {
      maxTokens: summaryMaxTokens,
      countText: (part) => tokenizer.countText(part),
      isQuoted: (quotation) => this.#quotes(quotation),
    });
  }

  #quotes(quotation: string): boolean {
    return this.#userWords?.includes(collapseBlanks(quotation)) ?? false;
  }

  /** All messages of the user as pages show them, a line each with blanks collapsed, so that no quotation spans two of them. */
  async #collectUserWords(): Promise<string> {
    const lines: string[] = [];
    await inSlices(this.session.items(), (item) => {
      if (item.kind !== 'message' || item.role !== 'user') return;
      const text = item.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
      lines.push(collapseBlanks(this.#mask(withoutColours(text)).toWellFormed()));
    });
    return lines.join('\n');
  }

  /** Which files the session touched; reasons and the order of marks come from it. */
  async #lookBack(): Promise<void> {
    this.#touched = await this.#touches.files();
  }

  #mask(text: string): string {
    return this.#options.guard?.mask(text) ?? text;
  }

  #reason(key: string): string | undefined {
    const touched = this.#touched.get(key);
    return touched === undefined ? undefined : reasonOf(touched);
  }
}

function* backwards(from: number, to: number): Iterable<number> {
  for (let number = to - 1; number >= from; number--) yield number;
}

function failure(text: string): { summary: string; isError: true } {
  return { summary: text, isError: true };
}
