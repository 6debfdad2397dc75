/** What is wrong with a manifest, and the one report that says it all (S10). */
import { PithError } from '../errors';

/** One fault of a manifest, of an environment variable or of a flag that overrides it. */
export interface ManifestProblem {
  /** A warning leaves the manifest usable. */
  readonly severity: 'error' | 'warning';
  /** The file, environment variable or flag. */
  readonly source: string;
  /** 1-based line and column in the file. */
  readonly line?: number;
  readonly column?: number;
  /** The key with its section, as the manifest spells it: `compaction.retained_tokens`. */
  readonly key?: string;
  /** What is wrong, in words that never repeat a secret. */
  readonly message: string;
  /** What the key takes. */
  readonly expected?: string;
  /** The known key that was probably meant. */
  readonly nearest?: string;
}

/** The error for a manifest with faults: its message is the report, `details.problems` the list. */
export function manifestInvalid(name: string, problems: readonly ManifestProblem[]): PithError {
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  const count = errors === 1 ? '1 fault' : `${String(errors)} faults`;
  return new PithError('PITH_MANIFEST_INVALID', `${name} has ${count}:\n${reportProblems(problems)}`, {
    details: { problems },
  });
}

/** The problems as lines, in the order of the file: `pith.toml:12:1 warning: compaction.worker: …`. */
export function reportProblems(problems: readonly ManifestProblem[]): string {
  return [...problems]
    .sort((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity) || (one.column ?? 0) - (other.column ?? 0))
    .map((problem) => `  ${reportProblem(problem)}`)
    .join('\n');
}

/** One problem as a line without its indent. */
export function reportProblem({ severity, source, line, column, key, message }: ManifestProblem): string {
  const place = line === undefined ? source : `${source}:${String(line)}:${String(column ?? 1)}`;
  return `${place} ${severity === 'warning' ? 'warning: ' : ''}${key === undefined ? '' : `${key}: `}${message}`;
}
