// A program of the system that tests run against: found, else installed by the system's package manager, else asked for.
import { spawnSync } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The path of the program, or undefined. `variable` of the environment decides where it is set, else names and folders. */
export function findProgram({ variable, names, folders }) {
  const named = process.env[variable];
  if (named) return isExecutable(named) ? named : undefined;
  const everywhere = [...(process.env.PATH ?? '').split(delimiter).filter(Boolean), ...folders];
  return names.flatMap((name) => everywhere.map((folder) => join(folder, name))).find(isExecutable);
}

/**
 * Finds the program, or tries to install it, and leaves its path in `variable`. Where there is none the variable is not set,
 * and the ways to get it are told. Never throws.
 */
export function provideProgram(program) {
  const { variable, apt, brew, ways } = program;
  if (findProgram(program) === undefined && !process.env[variable]) install(apt, brew);
  const found = findProgram(program);
  if (found !== undefined) process.env[variable] = found;
  else {
    delete process.env[variable];
    process.stderr.write(ways);
  }
  return found;
}

/** Where the module of this URL is what Node was started with, provides the program and prints its path. */
export function whenAlone(url, provide) {
  if (process.argv[1] === undefined || url !== pathToFileURL(process.argv[1]).href) return;
  const found = provide();
  if (found !== undefined) process.stdout.write(`${found}\n`);
}

function isExecutable(path) {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/** Whether a command ended well; it may take minutes, ask nothing and print nothing. */
function ran(command, ...args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', HOMEBREW_NO_AUTO_UPDATE: '1' };
  return spawnSync(command, args, { stdio: 'ignore', timeout: 300_000, env }).status === 0;
}

function install(apt, brew) {
  if (ran('apt-get', '--version')) {
    const asRoot = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
    if (asRoot.length > 0 && !ran(...asRoot, 'true')) return;
    const command = [...asRoot, 'apt-get', '-o', 'Acquire::Retries=0', '-o', 'Acquire::http::Timeout=15'];
    const got = () => ran(...command, 'install', '-y', '--no-install-recommends', apt);
    if (!got() && ran(...command, 'update')) got();
  } else if (ran('brew', '--version')) {
    ran('brew', 'install', ...brew);
  }
}
