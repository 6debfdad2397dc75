// A page of the documentation as steps: files to write, commands to run, and what they print.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';

/** The code blocks of a page, each with its language, its text and the heading above it. */
export async function blocksOf(page) {
  const blocks = [];
  let heading = '';
  for (const [, title, language, text] of (await readFile(page, 'utf8')).matchAll(
    /^#+ (.*)$|^```(\w+)\n([\s\S]*?)^```$/gm,
  )) {
    if (title !== undefined) heading = title;
    else blocks.push({ heading, language, text });
  }
  return blocks;
}

/** Follows blocks in a folder: `sh` is run, `text` is what the commands before it printed, all others are files by their first line. */
export class Reader {
  #folder;
  #printed = '';

  constructor(folder) {
    this.#folder = folder;
  }

  async follow({ language, text }) {
    if (language === 'sh') await this.#run(text);
    else if (language === 'text') this.#compare(text);
    else await this.#write(text);
  }

  async #run(commands) {
    const { code, output } = await shell(`set -e\n${commands}\necho "@$PWD"`, this.#folder);
    if (code !== 0) throw new Error(`ended with ${code}:\n${commands}\n${output}`);
    const at = output.lastIndexOf('@');
    this.#folder = output.slice(at + 1).trim();
    this.#printed = output.slice(0, at);
  }

  #compare(expected) {
    const plain = (text) => text.replace(/\s+/g, ' ').trim();
    const missing = expected.split('\n').filter((line) => !plain(this.#printed).includes(plain(line)));
    if (missing.length > 0) throw new Error(`was not printed:\n${missing.join('\n')}\nbut\n${this.#printed}`);
  }

  async #write(text) {
    const [, path] = /^(?:\/\/|#) (\S+)$/m.exec(text.split('\n', 1)[0]) ?? [];
    if (path === undefined) throw new Error(`no file is named by the first line of\n${text}`);
    await mkdir(dirname(join(this.#folder, path)), { recursive: true });
    await writeFile(join(this.#folder, path), text);
  }
}

/** Runs commands to their end. */
export function shell(script, cwd) {
  const child = spawn('sh', ['-c', script], { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text));
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, output })));
}
