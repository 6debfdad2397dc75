/** A session file opened for a command, with the plugins of the manifest at work on it. */
import { resolve } from 'node:path';
import type { StockPluginName } from '../../plugins';
import { transportOf } from '../agent/transport';
import { createDiskFiles } from '../files/disk-files';
import type { FileSource } from '../files/file-source';
import { createMovedFiles } from '../files/moved-files';
import { createSessionFiles } from '../files/session-files';
import type { Kernel } from '../kernel/kernel';
import type { LoadedManifest } from '../manifest';
import type { Session } from '../session/session';
import { openSession } from './opened-session';
import type { OpenedSession, SessionChoice } from './opened-session';
import { readManifest, startPlugins } from './started-plugins';
import type { PluginOptions } from './started-plugins';
import type { Terminal } from './terminal';

/** The plugins where a manifest names none: those that make a context smaller. */
const COMPACTING: readonly StockPluginName[] = ['tracker', 'prune', 'compaction', 'auto-read-budget', 'guard'];

/** What was asked for. */
export interface SessionRequest extends SessionChoice, PluginOptions {
  /** The folder where the files of the session are now; without it their contents are those that the session shows. */
  readonly root?: string | undefined;
  /** Whether a worker in another process may be asked. */
  readonly asksWorkers?: boolean;
}

/** Milliseconds to wait for the server of a remote worker. */
const CONNECT_MS = 5000;

export interface SessionAtWork {
  readonly opened: OpenedSession;
  readonly manifest: LoadedManifest;
  readonly kernel: Kernel;
  readonly files: FileSource;
  /** The absolute folder that contents are read from; undefined where the session tells them. */
  readonly root: string | undefined;
  /** Waits for the server of a remote worker, but not for ever; undefined where nobody else is asked. */
  readonly reached: (() => Promise<void>) | undefined;
  /** Closes the session and stops the plugins. */
  close(): Promise<void>;
}

/** Opens a session and starts the plugins; faults of the manifest come before anything is read. */
export async function openAtWork(
  request: SessionRequest,
  flags: Readonly<Record<string, unknown>>,
  terminal: Terminal,
): Promise<SessionAtWork> {
  const manifest = await readManifest(request, flags, terminal, COMPACTING);
  let kernel: Kernel | undefined;
  const services = (session: Session): ReturnType<Kernel['scope']> => (kernel as Kernel).scope(session);
  const opened = await openSession({ ...request, services }, terminal);
  const root = request.root === undefined ? undefined : resolve(request.root);
  const files = filesOf(opened.session, root);
  const isRemote = request.asksWorkers === true && manifest.config['compaction']?.['worker'] === 'remote';
  const transport = isRemote ? transportOf(manifest) : undefined;
  const options = { files, ...(transport && { transport }) };
  const started = (kernel = await startPlugins(onRequestOnly(manifest), options));
  const close = async (): Promise<void> => {
    await opened.session.close();
    await started.stop();
  };
  const reached = transport && (() => transport.reached(CONNECT_MS));
  return { opened, manifest, kernel: started, files, root, reached, close };
}

/** No turn runs here, so nothing is compacted of itself, whatever the thresholds are. */
function onRequestOnly(manifest: LoadedManifest): LoadedManifest {
  const { config } = manifest;
  return { ...manifest, config: { ...config, compaction: { ...config['compaction'], mode: 'off' } } };
}

/** Where contents of files come from (S12.1): the disk under a root, else the session itself. */
function filesOf(session: Session, root: string | undefined): FileSource {
  if (root === undefined) return createSessionFiles(session.items(), session.root);
  const disk = createDiskFiles({ root });
  return session.root === undefined ? disk : createMovedFiles(disk, session.root);
}
