/** Secrets in the clothes that servers print them in, the same for the same seed in every process. */
export function leaksOf(seed: number): { text: string; secret: string }[] {
  let state = seed * 2_654_435_761;
  const next = () => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 0x9e3779b9) >>> 0;
    return state;
  };
  const letters = (alphabet: string, length: number) =>
    Array.from({ length }, () => alphabet[next() % alphabet.length]).join("");
  const word = (length: number) =>
    letters("abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789", length);
  const upper = (length: number) => letters("ABCDEFGHJKLMNPQRSTUVWXYZ23456789", length);
  const dressed: [secret: string, dress: (secret: string) => string][] = [
    [word(24), (secret) => `using sk-${secret} for this`],
    [word(24), (secret) => `remote: ghp_${secret} rejected`],
    [upper(16), (secret) => `AKIA${secret} is no key of ours`],
    [word(35), (secret) => `AIza${secret}`],
    [word(20), (secret) => `got eyJhbGciOiJIUzI1NiJ9.${secret}.${secret}`],
    [word(20), (secret) => `Authorization: Bearer ${secret}`],
    [word(12), (secret) => `API_KEY=${secret} is wrong`],
    [word(12), (secret) => JSON.stringify({ password: secret })],
    [word(12), (secret) => `https://example.com/?access_token=${secret}&page=2`],
    [word(12), (secret) => `postgres://app:${secret}@db.example.com/app`],
    [word(12), (secret) => `client_secret: '${secret}'`],
  ];
  return dressed.map(([secret, dress]) => ({ secret, text: dress(secret) }));
}
