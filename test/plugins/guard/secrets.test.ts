import fc from 'fast-check';
import { maskSecrets } from '../../../plugins/guard/secrets';

/** Text with the secret in guillemets. */
const SECRETS = [
  'OPENAI_API_KEY=sk-proj-«abc123def456ghi789jkl»',
  'key: sk-ant-«api03-AbCdEfGhIjKlMnOpQrStUvWxYz0123456789»',
  'ghp_«abcdefghij1234567890ABCDEFGHIJ123456»',
  'github_pat_«11ABCDEFG0abcdefghijkl_mnop»',
  'glpat-«abcDEF123456789_xyz0»',
  'AKIA«IOSFODNN7EXAMPLE»',
  'aws_secret_access_key = «wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY»',
  'xoxb-«123456789012-abcdefghij»',
  'AIza«SyA1234567890abcdefghijklmnopqrstuv»',
  'hf_«abcdefghijklmnopqrst12345»',
  'sk_live_«abcdefghij1234567890»',
  'bot «123456789:AAabcdefghijklmnopqrstuvwxyz0123456»',
  '«eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123»',
  'Authorization: Bearer «abcdef1234567890abcdef»',
  'curl -H "Authorization: Basic «dXNlcjpwYXNzd29yZDE=»"',
  'x-api-key: «0123456789abcdef0123456789abcdef»',
  'postgres://user:«hunter2»@db.example.com/app',
  'mysql://root:«p%40ss»@localhost',
  'https://«ghx1234567890abcdefghij»@github.com/a/b',
  '-----BEGIN RSA PRIVATE KEY-----«\nMIIEowIBAAKCAQEA\nabc+/=\n»-----END RSA PRIVATE KEY-----',
  '   12→-----BEGIN PRIVATE KEY-----«\n   13→MIIEvQ\n   14→»-----END PRIVATE KEY-----',
  '-----BEGIN OPENSSH PRIVATE KEY-----«\\nb3BlbnNzaC1r\\n»-----END OPENSSH PRIVATE KEY-----',
  '-----BEGIN PRIVATE KEY-----«\nMIIEvQIBADAN»',
  '  1→-----BEGIN PRIVATE KEY-----«\n  2→MIIEvQIBADAN\n  3→abcDEF»\n  4→[truncated]',
  'DB_PASSWORD=«supersecret»',
  'export SECRET_KEY_BASE="«abc def»"',
  '     3→API_TOKEN=«abcdef»',
  'PASSWORD=«1234»',
  'password: «hunter2»',
  '"password": "«hunter2»"',
  "password = 'p@ssw0rd!'".replace('p@ssw0rd!', '«p@ssw0rd!»'),
  '{\\"api_key\\": \\"«abc123def»\\"}',
  "const apiKey = '«a1b2c3d4e5f6g7h8»'",
  "config['token'] = '«a1b2c3d4»'",
  ':secret => "«s3cr3t-value»"',
  'client_secret: "GOCSPX-«abcdefghijklmnopqrstuv1»"',
  '--password «hunter2» --user me',
  '--api-key=«abcd1234»',
  'Server=x;Password=«hunter2»;',
  'AccountKey=«abcd1234EFGH5678ijkl==»;EndpointSuffix=x',
  'https://x.example/cb?access_token=«abc123def456»&state=1',
  'jwt_secret=«kjh23kjh4k2j3h4»',
];

const HARMLESS = [
  'token: string',
  'interface X { token: string; secret?: Buffer }',
  'apiKey = process.env.API_KEY',
  'const token = getToken();',
  'access_token=response.access_token',
  'const secret = crypto.randomBytes(32)',
  'password: z.string().min(8)',
  'password: String,',
  'login(user=user, password=password)',
  'if (password === confirm) return;',
  'password: "Password is required"',
  'password: "auth.password.label"',
  'token: "identifier"',
  'apiKey: "OPENAI_API_KEY"',
  'api_key_env = "OPENAI_API_KEY"',
  'API_KEY=$API_KEY',
  'API_KEY=<your key>',
  'TOKEN=...',
  'export OPENAI_API_KEY=sk-...',
  'max_tokens: 4000',
  'MAX_TOKENS=4000',
  'TOKEN_LIMIT=5000',
  'token_url = "https://x.example/t1"',
  'PRIVATE_KEY_PATH=./key.pem',
  'Token usage: 12345',
  'Bearer authentication is required',
  'Authorization: Bearer ${token}',
  'sk-folding-cube-container-wrapper',
  'https://example.com:8080/@scope/pkg@1.2.3',
  'http://localhost:3000/a@b',
  'git@github.com:me/repo.git',
  '<input type="password" name="pwd1">',
  'PWD=/home/user1',
  'pwd: /home/user1',
  'secret: true',
  'import { tokenize } from "./tokenizer";',
  '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----',
  'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=',
];

describe('masking', () => {
  test.each(SECRETS)('%s', (marked) => {
    const [before = '', secret = '', after = ''] = marked.split(/[«»]/);
    const masked = maskSecrets(before + secret + after);
    expect(masked).not.toContain(secret);
    expect(masked).toContain('[masked]');
    expect(masked.startsWith(before)).toBe(true);
    expect(masked.endsWith(after)).toBe(true);
    expect(maskSecrets(masked)).toBe(masked);
  });

  test.each(HARMLESS)('leaves %s alone', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  test('once is as good as twice, for any mixture', () => {
    const piece = fc.oneof(
      fc.constantFrom(...SECRETS.map((text) => text.replace(/[«»]/g, ''))),
      fc.constantFrom(...HARMLESS),
      fc.constantFrom(
        'password',
        'token',
        'API_KEY',
        '=',
        ': ',
        '"',
        "'",
        '\\"',
        '://',
        '@',
        ':',
        '-----BEGIN PRIVATE KEY-----',
        '-----END PRIVATE KEY-----',
        'eyJ',
        'sk-',
        '[masked]',
        ' ',
        '\n',
        'a1b2c3d4e5f6g7h8',
        'Bearer ',
      ),
      fc.string(),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join('')),
        (text) => {
          const masked = maskSecrets(text);
          expect(maskSecrets(masked)).toBe(masked);
        },
      ),
      { numRuns: 2000 },
    );
  });

  test('a secret is found wherever it stands', () => {
    const between = fc.constantFrom('\n', ' ', '\t', ', ', '" ', ' # ');
    fc.assert(
      fc.property(fc.constantFrom(...SECRETS), fc.lorem(), fc.lorem(), between, (marked, before, after, space) => {
        const secret = /«([^]*)»/.exec(marked)?.[1] ?? '';
        const masked = maskSecrets(`${before}\n${marked.replace(/[«»]/g, '')}\n${space}${after}`);
        expect(masked).not.toContain(secret);
        expect(masked).toContain(after);
      }),
    );
  });

  test.each([
    'a',
    'password="',
    'eyJ',
    '://a:',
    '-----BEGIN PRIVATE KEY-----',
    '-',
    'sk-',
    'token=',
    'secret: "',
    '--a-b-',
    'token\\": \\"a',
    'x',
  ])('gets through a megabyte of %j', (unit) => {
    const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
    expect(maskSecrets(maskSecrets(text))).toBe(maskSecrets(text));
  });
});
