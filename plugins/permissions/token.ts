/** Who is asked before a tool runs: a service that the host of an agent provides, such as a terminal. */
import { createToken, type Json, type Session, type ToolKind } from '../../core/index';

/** What is asked. The lists are of one line each without control characters, fit to be shown as they are. */
export interface ApprovalRequest {
  readonly session: Session;
  readonly tool: string;
  readonly kind: ToolKind;
  readonly arguments: Json;
  /** What would be done, one entry for each command or file: `run_command(npm test)`. */
  readonly calls: readonly string[];
  /** What the answer `session` allows from then on: `write_file(**)` is all files inside of the root. */
  readonly allows: readonly string[];
}

/** This time, from now on in this session, or not at all. */
export type ApprovalAnswer = 'once' | 'session' | 'no';

/** Asks a human whether a call may run. */
export interface Approval {
  /** Asks a human; one question at a time. The signal aborts when the call is cancelled. A rejection counts as no. */
  ask(request: ApprovalRequest, signal: AbortSignal): Promise<ApprovalAnswer>;
}

/** Without it what would be asked is denied. */
export const APPROVAL = createToken<Approval>('pith/approval');
