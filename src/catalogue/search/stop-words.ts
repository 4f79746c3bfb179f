/** Words that say how something is said and not what it is about. */
const functionWords = `
  a an the this that these those such same other another each every either neither both all any some few many much more
  most least less no not none nor only own
  i me my mine myself you your yours yourself we us our ours he him his she her hers it its they them their theirs
  who whom whose which what when where why how
  am is are was were be been being do does did done doing have has had having
  can could may might must shall should will would
  and or but if then else than so because while although though unless until whether
  of to in on at by for from with without into onto upon about above below over under between among through during before
  after since against across along toward towards within via per as up down out off again further once here there
  now just also too very really quite rather still yet already even ever never always often
  please help want wants need needs like let lets make makes give gives given tell show using use uses used way ways
  thing things something anything someone anyone etc eg ie
`;

/** Every tool is a tool: asked for, these words tell nothing; in a name they may be all there is. */
const emptyInQueries = `
  tool tools server servers mcp api apis function functions service services platform provider available
`;

const stopWords = asSet(functionWords);
const emptyWords = asSet(emptyInQueries);

export function isStopWord(word: string): boolean {
  return stopWords.has(word);
}

export function isEmptyInQueries(word: string): boolean {
  return emptyWords.has(word);
}

function asSet(words: string): ReadonlySet<string> {
  return new Set(words.trim().split(/\s+/));
}
