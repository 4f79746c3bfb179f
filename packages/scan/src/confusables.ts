/**
 * Letters that look like Latin ones. Facts of Unicode's confusables.txt 13.0 (https://www.unicode.org/Public/security/),
 * © Unicode, Inc., Unicode License v3, taken from the npm package unhomoglyph 1.0.6 (MIT); single letters only, prototypes
 * without marks, digits and East Asian and Arabic letters left out. A row: the Latin letter, and its doubles.
 */
export const confusables: Readonly<Record<string, string>> = {
  a: "ɑαаᗅᴀẚꓮꭺ\u{102a0}\u{16f40}\u{1d6a8}\u{1d6c2}\u{1d6e2}\u{1d6fc}\u{1d71c}\u{1d736}\u{1d756}\u{1d770}\u{1d790}\u{1d7aa}",
  b: "ƀƃƄɓʙΒвѣҍᏏᏼᑲᑳᖯᗷꓐꞴ\u{10282}\u{102a1}\u{10301}\u{1d6a9}\u{1d6e3}\u{1d71d}\u{1d757}\u{1d791}",
  c: "ȼϲсҫᴄⲥꓚꮯ\u{102a2}\u{10302}\u{1043d}\u{1051c}",
  d: "ÐđƌɖɗԁᏧᑯᗞᗪᴅꓒꓓꭰ",
  e: "ɇΕеҽҿᴇⴹꓰꬲꭼ\u{10286}\u{118a6}\u{118ae}\u{1d6ac}\u{1d6e6}\u{1d720}\u{1d75a}\u{1d794}",
  f: "ſƒϜքᖴᵮẝꓝꜰꞙꬵ\u{10287}\u{102a5}\u{10525}\u{118c2}\u{1d7ca}",
  g: "ƍǥɠɡɢԍցᏻᶃᶢꓖꮐ",
  h: "ħɦʜΗнћңһӈӊհᏂᏲᕼᵸℏⱧⲎꓧꚕꮋ\u{102cf}\u{1d6ae}\u{1d6e8}\u{1d722}\u{1d75c}\u{1d796}",
  i: "ıɨɩɪͺιіӏᵻᵼιꙇꭵ\u{118c3}\u{1d6a4}\u{1d6ca}\u{1d704}\u{1d73e}\u{1d778}\u{1d7b2}",
  j: "ɉϳјᒍᴊꓙꞲꭻ",
  k: "ĸƙκϰкқҟᛕᴋⱩⲕꓗꝀꮶ\u{10518}\u{1d6b1}\u{1d6cb}\u{1d6de}\u{1d6eb}\u{1d705}\u{1d718}\u{1d725}\u{1d73f}\u{1d752}\u{1d75f}\u{1d779}\u{1d78c}\u{1d799}\u{1d7b3}\u{1d7c6}",
  l: "łƚǀɫɭʟߊᒪᛁℐℑⲒⳑⵏꓡꓲꮮＩ\u{1028a}\u{10309}\u{10443}\u{10526}\u{118b2}\u{16f16}\u{16f28}\u{1d408}\u{1d43c}\u{1d470}\u{1d4d8}\u{1d540}\u{1d574}\u{1d5a8}\u{1d5dc}\u{1d610}\u{1d644}\u{1d678}\u{1d6b0}\u{1d6ea}\u{1d724}\u{1d75e}\u{1d798}",
  m: "ΜϺᎷᗰᛖᴍⲘꓟ\u{102b0}\u{10311}\u{1d6b3}\u{1d6ed}\u{1d727}\u{1d761}\u{1d79b}",
  n: "ƝƞɳɴΝηոռᵰⲚꓠ\u{10513}\u{1d6b4}\u{1d6c8}\u{1d6ee}\u{1d702}\u{1d728}\u{1d73c}\u{1d762}\u{1d776}\u{1d79c}\u{1d7b0}",
  o: "øǾɵθοσϑоѳөօଠഠတဝჿዐᴏᴑⲟⴱⵁⵔꓳꝋꬽꬾꭴꮎꮻ\u{10292}\u{102ab}\u{1042c}\u{104ea}\u{10516}\u{118b5}\u{118c8}\u{118d7}\u{1d6af}\u{1d6b6}\u{1d6b9}\u{1d6c9}\u{1d6d0}\u{1d6d4}\u{1d6dd}\u{1d6e9}\u{1d6f0}\u{1d6f3}\u{1d703}\u{1d70a}\u{1d70e}\u{1d717}\u{1d723}\u{1d72a}\u{1d72d}\u{1d73d}\u{1d744}\u{1d748}\u{1d751}\u{1d75d}\u{1d764}\u{1d767}\u{1d777}\u{1d77e}\u{1d782}\u{1d78b}\u{1d797}\u{1d79e}\u{1d7a1}\u{1d7b1}\u{1d7b8}\u{1d7bc}\u{1d7c5}",
  p: "ƥρϱрᑭᴘᴩᵽⲣꓑꮲ\u{10295}\u{1d6b8}\u{1d6d2}\u{1d6e0}\u{1d6f2}\u{1d70c}\u{1d71a}\u{1d72c}\u{1d746}\u{1d754}\u{1d766}\u{1d780}\u{1d78e}\u{1d7a0}\u{1d7ba}\u{1d7c8}",
  q: "ʠԛգզⵕ",
  r: "ɍɼɽʀгғᖇᴦᵲⲅꓣꭇꭈꭱꮁꮢ\u{104b4}\u{16f35}",
  s: "ƽʂѕᏕᵴꓢꜱꮪ\u{10296}\u{10448}\u{118c1}\u{16f3a}",
  t: "ŧƭƮȾτтҭᴛᵵⲦꓔꭲ\u{10297}\u{102b1}\u{10315}\u{118bc}\u{16f0a}\u{1d6bb}\u{1d6d5}\u{1d6f5}\u{1d70f}\u{1d72f}\u{1d749}\u{1d769}\u{1d783}\u{1d7a3}\u{1d7bd}",
  u: "Ʉʋυսሀᑌᴜᵾꓴꞟꭎꭒꮜ\u{104f6}\u{118d8}\u{16f42}\u{1d6d6}\u{1d710}\u{1d74a}\u{1d784}\u{1d7be}",
  v: "νѵᐯᴠⴸꓦꛟꮩ\u{1051d}\u{11706}\u{118c0}\u{16f08}\u{1d6ce}\u{1d708}\u{1d742}\u{1d77c}\u{1d7b6}",
  w: "ɯѡѽԝաᏔᴡꓪꝡꮃ\u{114c5}\u{1170a}\u{1170e}\u{1170f}",
  x: "Χхᕁᕽ᙮ᚷⲬⵝꓫꞳ\u{10290}\u{102b4}\u{10317}\u{10527}\u{1d6be}\u{1d6f8}\u{1d732}\u{1d76c}\u{1d7a6}",
  y: "ƴɏɣʏΥγϒуүұყᎩᎽᶌỿℽⲨꓬꭚ\u{102b2}\u{118a4}\u{118dc}\u{16f43}\u{1d6bc}\u{1d6c4}\u{1d6f6}\u{1d6fe}\u{1d730}\u{1d738}\u{1d76a}\u{1d772}\u{1d7a4}\u{1d7ac}",
  z: "ƶȥʐΖᴢᵶꓜꮓ\u{118a9}\u{118c4}\u{1d6ad}\u{1d6e7}\u{1d721}\u{1d75b}\u{1d795}",
};
