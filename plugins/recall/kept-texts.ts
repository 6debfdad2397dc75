/** Texts that are too long for a context, in files of their own until the session is closed. */
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { maskedSlice, nextSlice, oneLine, type Session } from '../../core/index';
import type { LongText, Recall } from './token';

/** Texts of a session that are kept; the oldest goes for the next. */
const MOST = 20;
/** Characters that are masked and written at once. */
const PIECE = 65_536;

/** A text that is kept. */
export interface KeptText {
  readonly id: string;
  /** One line that says what it is. */
  readonly title: string;
  /** Reads it; secrets were masked before it was written. */
  read(): Promise<string>;
}

/** The kept texts of a session, oldest first. */
export class KeptTexts implements Recall {
  readonly #session: Pick<Session, 'itemCount'>;
  readonly #mask: (text: string) => string;
  readonly #texts = new Map<string, KeptText & { readonly file: Promise<string> }>();
  #folder: Promise<string> | undefined;

  constructor(session: Pick<Session, 'itemCount'>, mask: (text: string) => string) {
    this.#session = session;
    this.#mask = mask;
  }

  get list(): readonly KeptText[] {
    return [...this.#texts.values()];
  }

  find(id: string): KeptText | undefined {
    return this.#texts.get(id);
  }

  async keep({ title, pieces }: LongText): Promise<string> {
    const id = this.#newId();
    const file = this.#write(id, pieces.join(''));
    this.#texts.set(id, {
      id,
      title: this.#mask(oneLine(title)),
      file,
      read: async () => readFile(await file, 'utf8'),
    });
    const [oldest] = this.#texts.values();
    if (oldest !== undefined && this.#texts.size > MOST) {
      this.#texts.delete(oldest.id);
      await rm(await oldest.file, { force: true });
    }
    await file.catch(() => this.#texts.delete(id));
    return file.then(() => id);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#texts.clear();
    if (this.#folder !== undefined) await rm(await this.#folder, { recursive: true, force: true });
  }

  /** An id that no log of this session holds: of the place in the log, which only grows. */
  #newId(): string {
    const place = `o${String(this.#session.itemCount)}`;
    let id = place;
    for (let more = 2; this.#texts.has(id); more++) id = `${place}.${String(more)}`;
    return id;
  }

  /** Writes a text; resolves to its file. */
  async #write(id: string, text: string): Promise<string> {
    const folder = await (this.#folder ??= mkdtemp(join(tmpdir(), 'pith-recall-')));
    const file = await open(join(folder, id), 'wx', 0o600);
    try {
      for (let from = 0; from < text.length; from += PIECE) {
        await file.write(maskedSlice(text, from, Math.min(text.length, from + PIECE), this.#mask));
        await nextSlice();
      }
    } finally {
      await file.close();
    }
    return join(folder, id);
  }
}
