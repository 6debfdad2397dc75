// The tickets of a support desk. In a real one they come from its API; a path such as `ticket:1234` names one.

/** @type {ReadonlyMap<string, { readonly customer: string, readonly subject: string, readonly messages: string[] }>} */
export const tickets = new Map([
  [
    '1234',
    {
      customer: 'Mara Lindqvist',
      subject: 'Charged twice for the October invoice',
      messages: [
        'Mara: My card was charged 49.00 twice on 3 October, the same invoice number on both lines (INV-2210).',
        'Desk: Thank you, we see both charges. The second one has no order behind it. We are asking the payment provider.',
        'Mara: It is still not back, and my bank says that the merchant has to release it. I need it before the 20th.',
      ],
    },
  ],
  [
    '1240',
    {
      customer: 'Tomas Okafor',
      subject: 'Export stops at 10,000 rows',
      messages: [
        'Tomas: The CSV export of our contacts ends after exactly 10,000 rows. We have 14,312. No error is shown.',
        'Tomas: We need the whole list on Friday for an audit. A second file for the rest would do.',
      ],
    },
  ],
]);

/** @param {string} path `ticket:1234`, also written `#1234` or `1234` */
function numberOf(path) {
  return /(\d+)\s*$/.exec(path)?.[1] ?? path;
}

/**
 * Tickets as files: what is read is the ticket as it is now.
 *
 * @type {import('pith').FileSource}
 */
export const ticketFiles = {
  canonical: (path) => `ticket:${numberOf(path)}`,
  display: (path) => `ticket:${numberOf(path)}`,
  async read(path) {
    const number = numberOf(path);
    const ticket = tickets.get(number);
    if (ticket === undefined) return { ok: false, path: `ticket:${number}`, reason: 'not-found' };
    const { customer, subject, messages } = ticket;
    const text = [`Ticket ${number}: ${subject}`, `Customer: ${customer}`, '', ...messages].join('\n');
    return { ok: true, path: `ticket:${number}`, text, source: 'tickets' };
  },
};
