import { once } from "@toolplane/core/lib/async/once";
import { foldText } from "./fold.ts";

/**
 * What a word does in a sentence, in thirteen languages. `*` ends a stem, `_` stands between words. Entries are folded as texts
 * are, so accents and look-alikes do not matter.
 */
const table = {
  /** Takes rules away, and has few other meanings. */
  revoke: `throw_out throw_away cast_aside wipe erase_your clear_your reset_your suspend suspended relax waive* overlook give_no_weight disobey stop_obeying no_longer_have_to no_longer_need_to need_not_follow do_not_follow don't_follow not_have_to_follow not_bound_by pay_no_attention ignore ignoring ignored disregard* forget dismiss set_aside put_aside stop_following void no_longer_apply no_longer_valid does_not_count
    do_not_count not_apply discard* abandon* neglect only_a_draft are_lifted is_lifted unlearn
    ignorier* vergiss vergessen missacht* nicht_mehr_gelten ignorez ignorer oublie oubliez oublier ne_tiens* ne_tenez* ignora ignoren ignorar olvida olvide
    olvidar no_hagas_caso dimentica* non_tenere ignori esqueca esquecer nao_leve desconsidere игнорир* забудь* не_учитыв* не_обращай* не_слушай*
    忽略 无视 無視 忘记 忘記 不必理会 不要理会 不用理会 忘れ 従わない 무시 잊고 잊어 잊으 따르지_마* تجاهل* انس انسى لا_تلتفت
    अनदेखा भूल_जा* नजरअंदाज ध्यान_मत ध्यान_न yok_say* unut unutun dikkate_alma* gormezden goz_ardi nicht_mehr beachte_nicht skip_your ignore_your no_longer_bound obsolete outdated invalid null_and_void cease`,
  /** The same, but also said of files and settings. */
  replace:
    "overrid* overrul* bypass* circumvent* supersed* replac* drop disable* defer lift* superseed* evade* ignores remove",
  orders: `developer_message safety_training code_of_conduct operating_rules system_card usage_terms standing_orders instruction* rule rules prompt prompts guideline* guidance directive* directions constraint* restriction* polic* safeguard* safety_check* safety_rule*
    instructed system_message system_messages commandments told_you told_about developer_wrote developer_said operator_said you_were_told you_were_given
    anweisung* regel regeln vorgabe* systemvorgabe* befehl* richtlinie* instruktion* consigne consignes regle regles instrucci* reglas regla ordenes directric* mensaje_del_sistema
    message_systeme istruzion* regole direttiv* messaggio_di_sistema ordini instruco* regra regras diretriz* mensagem_do_sistema ordens
    инструкц* указани* правил* команд* системное_сообщ* системные_сообщ* 规则 規則 指令 指示 命令 系统提示 系統提示 提示词 ルール システムメッセージ システムプロンプト 규칙* 지시* 명령* 시스템_메시지*
    تعليمات* التعليمات القواعد قواعد الاوامر اوامر رسالة_النظام निर्देश* नियम* आदेश* सिस्टम_संदेश talimat* kural* komut* sistem_mesaj* yonerge* programming training alignment system_instructions`,
  prior: `previous previously prior earlier above preceding before former existing initial original old all every any whatever everything given received anything until_now so_far
    vorher* bisher* fruher* obig* vorig* alle allen precedent* anterieur* toutes tous auparavant recues anterior* previas previos todas todos antes precedenti precedente tutte tutti prima
    предыдущ* прежн* раньше ранее все всех 之前 以前 先前 以上 上述 前面 所有 全部 收到 これまで 上記 すべて 以前の 이전* 모든 지금까지 السابقة سابقة جميع كل من_قبل पिछले सभी पहले onceki* tum butun daha_once`,
  you: `you your yourself yours you're you've assistant assistants model agent llm  chatbot    dir dich dein deine deinen du tu ton ta tes vos votre vous te ti tus su_modelo tuo tue tuoi seu sua suas
    你 您 你的 тебе твои свои ты вы вам あなた 당신* 너의 لك تعليماتك अपने तुम तुम्हें आप sana senin sen asistan* talimatlarini`,
  no: `not never no don't dont doesn't won't without avoid mustn't shouldn't cannot can't refrain nicht nichts nie niemals ohne kein ne n'en sans jamais rien pas no_lo sin nunca jamas non senza mai nao sem
    не без никогда 不要 别 別 切勿 无需 無需 不必 不得 请勿 不可          لا دون بدون لن मत  बिना न     asla`,
  /** After its verb. */
  notLate: "ない しないで せず 마세요 마십시오 않고 않도록 필요는_없* 말고 नहीं gerek_yok olmadan",
  untold:
    "keep_it_from keep_this_from stay_silent remain_silent keep_silent to_yourself off_the_record without_telling without_informing without_notifying without_mentioning without_letting without_the_user_knowing say_nothing_of leave_it_unsaid unmentioned never_learn not_learn never_know not_notice never_notice not_find_out never_find_out no_reason_to_bring leave_this_out out_of_your_summary out_of_your_answer out_of_your_reply soyleme* haber_vermeden need_not_know between_us keep_quiet leave_out_any_mention no_need_to_trouble",
  tell: `speak_of refer_to talk_about point_out let_on let_them_know say_anything breathe_a_word tell telling  mention mentions mentioning inform informing notify notifying reveal disclose alert alerting explain   bring_up discuss discussing bother bothering trouble troubling
    know knowing worry aware find_out    reported sag sage sagen erzahl* verrat* informier* mitteil* erwahn* mitzuteil* fragen wissen dis dites dire mentionn*  parle parlez prevenir avertir avis* digas diga decir mencion* 
    notifi* dire dica avvis* menzion* diga dizer avise avisar говори* сообща* сообщи* рассказ* упомин* уведом* предупрежд* 告诉 告訴 告知 通知 提及 提到 透露 伝え 知らせ 教え 言わ 말하* 알리* 알릴 언급* 통지* تخبر اخبار تذكر ابلاغ تعلم बता* बताने सूचित जिक्र soyle* haber_ver* bildir* bahset* asked_about     aware_of informe informez informer informes informar informare show_the_user say_nothing`,
  people: `user users user's human humans person people operator anyone customer customers client_knows them they him her owner nutzer* benutzer* anwender* kunde* utilisateur* l'utilisateur usuari* utente l'utente all'utente dell'utente
    пользовател* 用户 用戶 使用者 ユーザー 사용자* المستخدم* उपयोगकर्ता* यूजर kullanici*`,
  /** The doing that is to stay unseen. */
  self: `this that it these call calls step steps request requests tool upload nothing_happened additional extra details davon das es dies en cela  eso questo isso этом это 此 这 この こと 이를 ذلك इसे bunu shared share sharing`,
  hide: `hide hides hidden conceal* secretly silently quietly covertly discreet* stealth* between_us keep_secret secret_from behind_the between_ourselves unnoticed
    heimlich* verschweig* verberg* verheimlich* versteck* unbemerkt discretement cache* secretement cachez en_secret* ocult* ocúlta* escond* discretamente a_escondidas di_nascosto nascond* em_segredo
    тайно скрыва* скрой* втайне незаметно 悄悄 偷偷 保密 隐瞒 隱瞞 暗中 秘密に 秘密裏 こっそり 隠し 密かに 몰래 숨기* 숨겨* 비밀로 비밀리* سرا اخف اخفاء خفية اخفي चुपके छिपा* गुप्त gizli* gizle* sakla* nothing_was_sent say_nothing steal stealing behind_their_back unbeknownst without_their_knowledge without_the_user's_knowledge hide_that conceal_that`,
  send: `stream pipe ship beacon deposit paste smuggle siphon* send sends sent sending forward forwards post posts upload uploads uploading transmit* exfiltrat* email mail leak copy submit share shares shared sharing relay deliver hand_over hands_over hand_them hand_it pass passes
    include  includes put puts provide add adds append attach attaches insert supply give gives return output pass_along sent_us return_them embed receive say_that steal report
     sende sendet ubermittl* ubertrag* gib fuge weitergib* weitergeb* mitgeb* schick* leite teile anhang* envoi* envoy* transmet* ajoute* communiqu* inclus* inclure inclue* partag* mets   transmit* pon   compart* manda* inserisc* inserir invia* condivid* trasmett*  metti coloque coloc* transmita enviar acrescent*
    отправ* отошли передай* передать передаёшь передава* вставь* добавь* пришли* включи* отсылай* 发送 發送 传送 傳送 上传 放进 放入 分享 转发 添加 填入 发到 送信 送って 送り 入れ 含め 共有 転送 보내* 전송* 넣* 포함* 공유* 전달* ارسل* وارسل ارسال ضع وضع ضمن* تشارك شارك مرر भेज* डाल* शामिल साझा gonder* ilet* koy ekle* paylas* aktar* for_including   incluye incluya incluir inclua includi includa include senden sendet envia envie envien enviar envias enviame reveal_your reveal_the_system`,
  /** What no tool needs. */
  loot: `bash_history shell_history signing_key* recovery_phrase* two_factor private_messages passwords credentials secrets ssh id_rsa private_key private_keys ssh_key ssh_keys env_file cookies  seed_phrase mnemonic api_keys access_tokens secret_token session_token session_cookies
      system_prompt initial_instructions saved_passwords personal_data  keychain  user's_password password_manager credential_file credentials_file open_files
    passwort* passworter* zugangsdaten anmeldedaten geheimniss* schlussel* mot_de_passe mots_de_passe identifiants contrasen* credencial* senhas senha parole_d'ordine credenzial* пароль пароли паролей учетные_данн* учетн* 密码 密碼 凭据 憑據 凭证 密钥 私钥
    パスワード 認証情報 秘密鍵 비밀번호* 자격_증명* 암호* كلمات_المرور كلمة_المرور بيانات_الاعتماد पासवर्ड* क्रेडेंशियल* parola* sifre* kimlik_bilgi* user's_clipboard wallet's_key key_of_the_user's_wallet browser_cookies systemprompt all_environment_variables variables_d the_password the_secret_token the_private_key the_api_keys api_keys the_credentials the_cookies user's_tokens the_tokens confidential_documents confidential_files confidential_data`,
  /** What was said to the model. */
  talk: `latest_messages recent_messages user's_messages all_messages  whole_context entire_context full_context dialogue_so_far chat_so_far what_was_said  everything_the_user user_typed user_wrote user_said user_has_typed transcript chat_history chat_log  message_history messages_so_far last_messages full_history  whole_chat written_so_far has_written context_window last_ten_messages message_of_the_user every_message every_email
    gesprach* chatverlauf* unterhaltung* verlauf    conversacion historial  cronologia conversazione conversa historico переписк* разговор* историю чат* истори* 对话 對話 聊天记录 聊天記錄 会话 会話 チャット履歴 チャット
    대화* 채팅* المحادثة الدردشة سجل बातचीत चैट konusma* sohbet* the_chat whole_chat entire_conversation whole_conversation the_conversation conversation_so_far full_conversation the_history full_transcript your_conversation la_conversation l'historique la_discussion message_of_the every_message_of messages_of_the_user user_messages`,
  us: `us our ours collector webhook endpoint address_below vendor uns unser* notre nous nuestro nuestra nostro nostra nosso nossa наш нам 我们 我們 当社 弊社 私たち 우리 우리의 خادمنا لنا हमारे हमें sunucumuz* bize bizim elsewhere`,
  field: `argument arguments parameter parameters field value sidenote   notes note remarks   first_argument url_parameter debug   padding
    feld notiz champ parametre parametro campo nota поле параметр* 字段 参数 參數 フィールド パラメータ 필드* 매개변수* الحقل المعامل फील्ड पैरामीटर alan* parametre* parametresine the_query the_request each_request request_body each_call`,
  must: "must always mandatory required first never_call whatever immer zuerst d'abord toujours siempre primero sempre primeiro всегда сначала 务必 先 必须 必ず まず 항상 먼저 دائما اولا हमेशा पहले her_zaman once also whenever each_time every_time",
  before:
    "before prior_to ahead_of instead preference_over beforehand deprecated vor avant antes_que antes_de prima_di antes перед 之前 より先 보다_먼저 قبل से_पहले once",
  others: `any_other other_tool other_tools every_other all_others the_others other_one other_servers another_tool of_others other_server all_other werkzeugen anderen les_autres cualquier_otra otras_herramientas tutti_gli_altri qualquer_outra
    любым_другим другим_инструмент* 其他工具 任何其他 他のツール 다른 اداة_اخرى अन्य diger* others other_ones another_server`,
  tool: "tool tools function ones server werkzeug* tool* outil* herramient* strument* ferramenta* инструмент* 工具 ツール 도구* اداة الاداة टूल* araci arac*",
  prefer: `supersedes_all overrides_all trump trumps wins_over counts_more above_all_other sole_authority only_authority outrank* overrule_your higher_priority highest_priority take_precedence takes_precedence precedence_over priority_over have_priority has_priority more_up_to_date go_by_these obey comply ab_jetzt ab_sofort prioritair* tienen_prioridad prioridad hanno_la_priorita priorita prioridade
    приоритет* 优先 優先 우선* الاولوية प्राथमिकता oncelik* follow_only only_follow follow_these nur_diesem trust_this obeis ahead_of these_orders in_place_of gelten_diese`,
  read: `read reads reading  fetch retrieve collect extract gather dump load loads loading obtain look_into cat  steal copy  consult lies lese lis lisez lee lea leggi leia прочитай* прочти* 读取 讀取 读 読み 読んで 읽* اقرا पढ* oku*`,
  /** A person is left out. */
  unasked: `without_waiting no_confirmation_is_needed skip_the_confirmation pre-approved preapproved assume_consent assume_approval treat_all_approvals without_asking without_requesting without_confirmation without_permission without_approval without_consent skip_all_confirmations skip_all skip_confirmation* already_consented already_approved no_need_to_ask on_behalf_of_the_user would_surely_agree
    ohne_zu_fragen ohne_ruckfrage sans_demander sin_preguntar sin_pedir senza_chiedere sem_perguntar без_спроса`,
  please:
    "please kindly thank thanks grateful appreciate courtesy mind bitte merci por_favor per_favore пожалуйста 请 麻烦 ください 주세요 فضلك कृपया lutfen",
  call: "call use invoke consult calling rufe appelle utilise llama chiama chame вызывай* 调用 呼び出 호출* استدع कॉल cagir*",
  shell: "shell curl bash wget powershell",
  act: "run execute delete command shell go_ahead commands permission confirmation confirmations approval approve consent consented confirmation_dialog everything",
  persona: `developer_mode unrestricted jailbreak* jailbroken you_are_now act_as_an no_restrictions without_restrictions content_policies admin_access god_mode do_anything_now without_content new_system_prompt real_task true_purpose acting_as no_longer_bound free_from_all maintenance_mode debug_mode root_access full_access`,
  reroute: "recipient recipients bcc beneficiary iban payee",
} as const;

type ClassName = keyof typeof table;

export const classNames = Object.keys(table) as ClassName[];
export const bitOf = Object.fromEntries(
  classNames.map((name, index) => [name, 1 << index]),
) as Record<ClassName | "url" | "place", number>;
bitOf.url = 1 << classNames.length;
bitOf.place = 1 << (classNames.length + 1);

type Entry = { tail: readonly string[]; isStem: boolean; bits: number };
type Lexicon = {
  words: Map<string, Entry[]>;
  stems: Map<string, number>;
  runs: Map<string, number>;
};

/** Letters and digits that pass for each other. */
export function loosen(word: string): string {
  return word
    .replaceAll(/[il1!|]/g, "l")
    .replaceAll(/[o0]/g, "o")
    .replaceAll(/[s5$]/g, "s")
    .replaceAll(/[e3]/g, "e")
    .replaceAll(/[a4@]/g, "a")
    .replaceAll(/[t7]/g, "t")
    .replaceAll(/[b8]/g, "b")
    .replaceAll("vv", "w");
}

/** Read within a run of letters, too. */
const shortRuns = new Set(["all", "you", "not", "any", "our", "us", "it"]);
const unspaced = /[\u3040-\u30ff\u3400-\u9fff]/;

function build(spell: (word: string) => string): Lexicon {
  const lexicon: Lexicon = { words: new Map(), stems: new Map(), runs: new Map() };
  for (const name of classNames)
    for (const entry of table[name].split(/\s+/)) {
      const isStem = entry.endsWith("*");
      const parts = foldText(entry.replace("*", "")).text.split("_").map(spell);
      const [first = "", ...tail] = parts;
      const bits = bitOf[name];
      const isRun = unspaced.test(first);
      const joined = parts.join("");
      if (isRun || joined.length >= 4 || shortRuns.has(joined))
        lexicon.runs.set(joined, (lexicon.runs.get(joined) ?? 0) | bits);
      if (isRun) continue;
      if (tail.length === 0 && isStem)
        lexicon.stems.set(first, (lexicon.stems.get(first) ?? 0) | bits);
      else lexicon.words.set(first, [...(lexicon.words.get(first) ?? []), { tail, isStem, bits }]);
    }
  return lexicon;
}

/** Built with the first text that is read: most starts scan nothing. */
export const strict = once(() => build((word) => word));
export const loose = once(() => build(loosen));
export type { Entry, Lexicon };

/** English words of the table, and what stands between them, for words that are spelled in another way. */
export const vocabulary = once(() => {
  const fillers =
    "the a to and of in on for with from into this that your you all not do it is are was will be about what who when then if";
  const phrases = [fillers, ...Object.values(table)].flatMap((line) => line.split(/\s+/));
  const tableWords = phrases
    .flatMap((entry) => entry.replace("*", "").split("_"))
    .filter((word) => /^[a-z]{2,}$/.test(word));
  const words = new Set(tableWords);
  const longWords = tableWords.filter((word) => word.length >= 4);
  const skeletons = new Map(
    tableWords.toReversed().map((word) => [word.replaceAll(/[aeiou]/g, ""), word]),
  );
  const jumbles = new Map(longWords.toReversed().map((word) => [jumbleOf(word), word]));
  return { words, skeletons, jumbles };
});

/** The first and the last letter, and the others in the order of the alphabet. */
export function jumbleOf(word: string): string {
  if (word.length < 4) return word;
  return `${word[0]}${[...word.slice(1, -1)].sort().join("")}${word.at(-1)}`;
}
