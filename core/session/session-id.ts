/** Ids of sessions as they may be kept, and as names of files. */
import { PithError } from '../errors';

/** Characters of a file name that every file system takes, with room for what is put behind it. */
const MOST_CHARACTERS = 180;

/** Names that some systems take for devices, whatever follows behind a dot. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i;

/**
 * The name by which the file of a session is known: letters, digits, `-`, `_` and `.` as they are, all else as `%` and its
 * bytes; never a hidden file, a device or another folder. Throws `PITH_SESSION_ID` for an id that no store keeps: one that is
 * empty, not well-formed, or longer than 180 characters as a name.
 */
export function fileNameOf(id: string): string {
  if (typeof id !== 'string' || id === '' || !id.isWellFormed()) throw unfit('is empty or no well-formed text');
  const plain = encodeURIComponent(id).replace(/[!~*'()]|^\./g, escaped);
  const name = DEVICE.test(plain) ? escaped(plain.charAt(0)) + plain.slice(1) : plain;
  if (name.length > MOST_CHARACTERS) throw unfit(`is longer than ${MOST_CHARACTERS} characters in a file name`);
  return name;
}

/** The id whose file has this name, or undefined where it is no name of a session. */
export function idOfFileName(name: string): string | undefined {
  try {
    const id = decodeURIComponent(name);
    return fileNameOf(id) === name ? id : undefined;
  } catch {
    return undefined;
  }
}

function unfit(fault: string): PithError {
  return new PithError('PITH_SESSION_ID', `The id of the session ${fault}; choose another one.`);
}

function escaped(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
}
