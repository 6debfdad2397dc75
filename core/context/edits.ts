/** Edits (S3.5): the only way to change what a request sends, kept in one table by item. */
import { PithError } from '../errors';
import type { Item, ItemId, NewItem } from '../session/items';
import type { Edit } from '../session/records';
import type { Changes, ItemChange } from './groups';

/** The anchor of inserts behind everything. */
export const END = 'end';

/** Edits in force. A table on a parent adds to it and leaves it as it is. */
export class ChangeTable implements Changes {
  readonly #parent: Changes | undefined;
  readonly #items = new Map<ItemId, ItemChange>();
  readonly #inserts = new Map<ItemId, Item[]>();
  #inserted = 0;

  constructor(parent?: Changes) {
    this.#parent = parent;
  }

  changeOf(id: ItemId): ItemChange | undefined {
    return this.#items.get(id) ?? this.#parent?.changeOf(id);
  }

  insertedBefore(id: ItemId): readonly Item[] {
    const own = this.#inserts.get(id);
    const inherited = this.#parent?.insertedBefore(id) ?? [];
    return own === undefined ? inherited : [...inherited, ...own];
  }

  /** Takes an edit in and returns the ids of the items it touches. Throws `PITH_EDIT_INVALID` for an insert that cannot be. */
  add(edit: Edit): readonly ItemId[] {
    switch (edit.edit) {
      case 'drop':
        for (const id of edit.items) this.#items.set(id, { drop: true });
        return edit.items;
      case 'content':
        if (this.changeOf(edit.item)?.drop !== true) this.#items.set(edit.item, { content: edit.text });
        return [edit.item];
      case 'insert': {
        const inserts = this.#inserts.get(edit.before) ?? [];
        inserts.push(insertedItem(edit.item, `${edit.before}+${this.#inserted++}`));
        this.#inserts.set(edit.before, inserts);
        return [edit.before];
      }
    }
  }
}

/** An inserted item with an id of its own. Throws `PITH_EDIT_INVALID` unless it is a message of user or assistant. */
export function insertedItem(item: NewItem, id: ItemId): Item {
  if (item.kind !== 'message' || item.role === 'system') {
    const what = item.kind === 'message' ? 'a system message' : `a ${item.kind}`;
    throw new PithError(
      'PITH_EDIT_INVALID',
      `An edit inserts ${what}; only messages of user or assistant can be inserted.`,
    );
  }
  return Object.freeze({ ...item, id });
}
