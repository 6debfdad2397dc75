/** Ids as a service, so that every test is repeatable (S3.3). */
import { randomBytes } from 'node:crypto';
import { createToken } from './token';

/** Makes names that are unique, as a service so that tests are repeatable. */
export interface Ids {
  /** A new id that begins with its kind, such as `session-…`; safe in file names and bus subjects. */
  next(kind: string): string;
}

/** The ids of the kernel; random by default. */
export const IDS = createToken<Ids>('pith/ids');

/** 96 random bits in hexadecimal after the kind. */
export const randomIds: Ids = Object.freeze({
  next: (kind: string) => `${kind}-${randomBytes(12).toString('hex')}`,
});
