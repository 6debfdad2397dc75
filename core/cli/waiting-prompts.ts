/** The prompts that were typed and are not part of the conversation yet. */
import { counted } from './layout';

export interface WaitingPrompt {
  readonly text: string;
  /** Whether it is to join the turn that runs. */
  readonly joins: boolean;
}

/** Prompts that are shown. */
const MOST_SHOWN = 3;

export class WaitingPrompts {
  readonly #prompts: WaitingPrompt[] = [];

  add(prompt: WaitingPrompt): void {
    this.#prompts.push(prompt);
  }

  /** Forgets a prompt that began its turn or never will. */
  remove(prompt: WaitingPrompt | undefined): void {
    const at = prompt === undefined ? -1 : this.#prompts.indexOf(prompt);
    if (at !== -1) this.#prompts.splice(at, 1);
  }

  /** Forgets the oldest prompt of this text that joined a turn. */
  joined(text: string): void {
    this.remove(this.#prompts.find((prompt) => prompt.joins && prompt.text === text));
  }

  /** A row for each of the oldest ones. */
  rows(): readonly string[] {
    const more = this.#prompts.length - MOST_SHOWN;
    return [
      ...this.#prompts.slice(0, MOST_SHOWN).map(({ text, joins }) => `${joins ? 'joins' : 'waits'}: ${text}`),
      ...(more > 0 ? [`and ${counted(more, 'more prompt')}`] : []),
    ];
  }
}
