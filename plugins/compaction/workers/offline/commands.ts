/** What calls did: commands and their outcome, and the line of an error that says most. */
import type { Json } from '../../../../core/index';
import type { Entry } from './pages';

/** The script that a call runs; undefined for tools that run none. */
export function scriptOf(call: Entry): string | undefined {
  if (typeof call.args !== 'object' || call.args === null || Array.isArray(call.args)) return undefined;
  const args = call.args as Readonly<Record<string, Json>>;
  if (call.touches.length > 0 && typeof args.path === 'string') return undefined;
  const given = args.command ?? args.cmd ?? args.commands ?? args.script ?? args.CommandLine;
  const text =
    typeof given === 'string' ? given : Array.isArray(given) ? argvText(given as readonly Json[]) : undefined;
  return text === undefined || text.trim() === '' ? undefined : text;
}

/** `["bash", "-lc", "npm test"]` is `npm test`. */
function argvText(words: readonly Json[]): string {
  const texts = words.filter((word) => typeof word === 'string');
  const script = texts.findIndex((word) => /^-\w*c$/.test(word) || word === '/c' || word === '-Command');
  return script > 0 && script + 1 < texts.length ? texts.slice(script + 1).join(' ') : texts.join(' ');
}

/** The first command of a script on one line, without a leading change of folder and without a here-document. */
export function firstCommand(text: string): string {
  const line = text.split('\n').find((candidate) => candidate.trim() !== '' && !candidate.trim().startsWith('#')) ?? '';
  return line
    .replace(/^\s*\((.*)\)\s*$/, '$1')
    .replace(/^(?:\s*(?:cd|source|\.|export|set)\s[^&;|]{1,200}(?:&&|;)\s*)+/, '')
    .replace(/\s+/gu, ' ')
    .replace(/ ?<<-? ?['"]?\w+['"]?.*$/, '')
    .trim();
}

/** What a command is about, so that a later run of it can be told: `npm test`, `git commit`, `python3 build.py`. */
export function commandKey(command: string): string {
  const words = command.replace(/^(?:\w+=\S+\s+|sudo\s+|time\s+|npx\s+|timeout\s+\S+\s+)+/, '').split(' ');
  const [program = '', ...rest] = words;
  const named = rest.filter((word) => !word.startsWith('-') && !/^[|&;<>0-9]/.test(word));
  const about = /^(?:npm|pnpm|yarn|bun)$/.test(program) && named[0] === 'run' ? named.slice(0, 2) : named.slice(0, 1);
  return [program, ...about].join(' ');
}

/** Programs that look around: their failing says nothing about the work. */
const LOOKING =
  /^(?:ls|cat|head|tail|grep|rg|find|fd|which|where|test|stat|wc|pwd|echo|cd|tree|file|sed|awk|diff|ps|kill|pkill|lsof|git (?:status|log|diff|show|check-ignore)|Get-\w+|Select-\w+|dir)\b/i;

export function isLooking(command: string): boolean {
  return LOOKING.test(command);
}

const EXIT_CODE = /(?:exit(?:ed)?(?: with)?(?: code| status)?|exit_code"?|exitCode"?|returncode)\W{1,3}(-?\d{1,9})/i;
const FAILURE =
  /^[ \t]*(?:npm ERR!|npm error|error(?:\[\w+\])?:|Error:|fatal:|panic:|FAIL\b|FAILED\b|Traceback \(most recent|E {3}\w)/m;
const COUNT_FAILED = /\b([1-9]\d{0,5}) (?:failed|failing|failures?|errors?)\b/i;

/** Whether a result tells of a failure, by its flag or by what a command printed. */
export function hasFailed(result: Entry, command: string | undefined): boolean {
  if (result.failed) return true;
  if (command === undefined || isLooking(command)) return false;
  const code = EXIT_CODE.exec(result.text)?.[1];
  if (code !== undefined) return Number(code) !== 0;
  const { text } = result;
  return (
    FAILURE.test(text) || text.includes(': command not found') || /error TS\d/.test(text) || COUNT_FAILED.test(text)
  );
}

const TELLING =
  /\b\w*(?:Error|Exception|Panic|Failure)\b\s*[:(]|error TS\d+|\berror(?:\[\w+\])?:|^fatal:|^panic|^E {3}|\bfailed\b|\bcannot\b|\bcan't\b|not found|No such|denied|undefined|refused|timed? ?out|nothing to commit|\bFAIL/i;

/** Lines that tools put around an output, and of what went well. */
const NO_ERROR =
  /^(?:> .*$|[✔✓√] .*$|(?:ok|PASS)\b.*$|(?:Error: )?Exit code:? -?\d+$|Wall time:|Chunk ID:|Process exited|Original token count|Total output lines|Command:|Directory:|Signal:|\(\w+\)$)/i;

/** The line of an output that says what went wrong, at most `max` characters; empty where the output is. */
export function errorLine(text: string, max: number): string {
  const lines = text
    .replace(/<\/?[a-z_-]{1,30}>/gi, ' ')
    .split('\n')
    .map((line) =>
      line
        .replace(/\s+/gu, ' ')
        .replace(/^ ?(?:(?:Output|Stdout|Stderr): ?|Error: (?=\())/, '')
        .trim(),
    )
    .filter(
      (line) => /[\p{L}\p{N}]/u.test(line) && !line.startsWith('[…') && line.length < 2000 && !NO_ERROR.test(line),
    );
  const traceback = lines.some((line) => line.startsWith('Traceback'));
  const telling = traceback
    ? lines.findLast((line) => /^\w+(?:\.\w+)*(?:Error|Exception|Exit|Interrupt)\b/.test(line))
    : undefined;
  const named = lines.find((line) => /\b\w*(?:Error|Exception|Panic)\b\s*[:(]|error TS\d+|^error|^fatal:/i.test(line));
  const line = telling ?? named ?? lines.find((candidate) => TELLING.test(candidate)) ?? lines[0] ?? '';
  return line.length <= max ? line : line.slice(0, max).toWellFormed().replace(/\S*$/, '…');
}

/** The line of an output that tells how a test run or a build ended; empty where there is none. */
export function verdictOf(text: string): string {
  const line = text
    .split('\n')
    .findLast(
      (candidate) =>
        candidate.length < 300 &&
        /\b\d+ (?:passed|passing|failed|failing|tests?|errors?|warnings?)\b|\bBUILD (?:SUCCESS|FAIL)|test result:/i.test(
          candidate,
        ),
    );
  return line === undefined
    ? ''
    : line
        .replace(/[=─━]{3,}/g, ' ')
        .replace(/\s+/gu, ' ')
        .trim();
}
