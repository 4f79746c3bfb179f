/**
 * Words of orders in other languages than those of `lexicon.ts`. One line is one language: its code, then after each letter the
 * words of that class. `*` ends a stem, `_` stands between words.
 *
 * - R takes rules away: ignore, forget, disregard
 * - O what is taken away: instructions, rules, orders
 * - N not, when it stands before the verb; X after it
 * - T tell, say, mention; U the same with its "not" in one word
 * - P the user, the person
 * - H in secret, without being noticed
 * - S send, forward, hand over
 * - L passwords, credentials, secret keys
 * - C the conversation, the chat, what was said
 */
export const languages = `
nl R negeer* vergeet geen_acht trek_je_niets O instructie* regels aanwijzing* opdracht* N niet niets nooit X niet T vertel* zeg zegt meld* vermeld* noem P gebruiker* H stiekem heimelijk ongemerkt S stuur* verstuur* verzend* L wachtwoord* inloggegevens C gesprek* chatgeschiedenis berichten
sv R ignorera* glöm bortse strunta O instruktion* regler* anvisning* N inte aldrig X inte T berätta* säg* nämn* avslöja* P användar* H hemlighet hemligt smyg S skicka* sänd sända sänder vidarebefordra* L lösenord* inloggningsuppgift* C konversation* samtal* chatthistorik*
da R ignorer* glem O instruktion* regler anvisning* ordrer N ikke aldrig X ikke T fortæl* sig nævn* afslør* P bruger* H hemmeligt hemmelighed smug S send* videresend* L adgangskode* kodeord* loginoplysning* C samtale* chathistorik*
no R ignorer* glem O instruks* regler instruksjon* anvisning* N ikke aldri X ikke T fortell* si nevn* avslør* P bruker* H hemmelig* smug S send* videresend* L passord* påloggingsinformasjon C samtale* chatlogg* samtalen
is R hunsa* gleymdu hunsið virtu_að_vettugi O fyrirmæl* leiðbeining* reglu* reglur skipan* N ekki aldrei X ekki T segja segðu segið nefna nefndu láttu P notand* H leynd laumi leynilega S senda sendu sendið áframsend* L lykilorð* aðgangsorð* C samtal* spjall*
fo R gloym* O vegleiðing* reglur N ikki aldri X ikki T sig siga fortel P brúkar* H loyndum S send* L loyniorð* C samrøð*
fi R unohda* sivuuta* jätä_huomiotta ohita O ohje* sääntö* säännöt* käskyt määräy* N älä älkää T kerro* mainitse* paljasta* sano P käyttäj* H salaa huomaamatta salassa S lähetä* välitä* L salasan* tunnukset kirjautumistie* C keskustelu* viesti*
et R ignoreeri* eira unusta* O juhis* reegl* korraldus* käsk* N ära ärge T ütle* räägi* maini* P kasutaja* H salaja märkamatult S saada* edasta* L parool* C vestlus* jutuajami*
lv R ignorēj* aizmirsti* neņem_vērā O norādījum* instrukcij* noteikum* N ne T saki pastāsti U nesaki* nestāsti* nepastāsti* neziņo* nepiemini* P lietotāj* H slepeni slepus S nosūti* sūti* pārsūti* L parol* C sarun*
lt R ignoruok* pamiršk* nepaisyk* O nurodym* instrukcij* taisykl* N ne T sakyk U nesakyk* nepasakok* neminėk* nepranešk* P vartotoj* naudotoj* H slapta slaptai S siųsk* išsiųsk* nusiųsk* persiųsk* L slaptažod* C pokalb*
pl R zignoruj* ignoruj* zapomnij* pomiń nie_zważaj O instrukcj* polece* zasad* reguły regułami wytyczn* N nie nigdy T mów mówi* powiedz* wspomin* informuj* ujawn* P użytkowni* H potajemnie cicho skrycie ukradkiem S wyślij* prześlij* przekaż* wysyłaj* L hasł* poświadcze* dane_logowania C rozmow* czatu konwersacj*
cs R ignoruj* zapomeň* nevšímej* O pokyn* instrukc* pravid* příkaz* T řekni U neříkej* nezmiňuj* neinformuj* neprozra* nesděluj* P uživatel* H tajně potají skrytě S odešli* pošli* přepošli* L hesl* přihlašovací* C konverzac* rozhovor* chatu
sk R ignoruj* zabudni* nevšímaj* O pokyn* inštrukci* pravid* príkaz* T povedz U nehovor* nespomín* neinformuj* neprezrad* P používateľ* užívateľ* H tajne potajomky skryto S pošli* odošli* prepošli* L hesl* prihlasovac* C konverzáci* rozhovor*
hu R hagyd_figyelmen hagyja_figyelmen figyelmen_kívül felejtsd* ne_vedd_figyelembe O utasítás* szabály* előírás* N ne soha T mondd* mondj* említsd* szólj* áruld* tájékoztasd P felhasználó* H titokban észrevétlenül titkon S küldd* küld továbbítsd* L jelsza* jelszó* hitelesítő* C beszélgetés* csevegés*
ro R ignoră* ignorați uită nu_ține_cont O instrucțiuni* regulile regulilor ordinel* indicați* N nu niciodată T spune* menționa* dezvălui* informezi informeze P utilizator* H în_secret pe_ascuns S trimite* transmite* expedia* L parol* credențial* C conversația conversației conversații
bg R игнорирай* забрави* пренебрегни* O инструкц* указани* правил* нареждан* N не никога T казвай* кажи* споменавай* съобщавай* разкривай* P потребител* H тайно скришом незабелязано S изпрати* прати* препрати* L парол* C разговор* чата
mk R игнорирај* заборави* занемари* O инструкц* упатств* правил* N не никогаш T кажувај* кажи* спомнувај* P корисник* H тајно скришно S испрати* прати* L лозинк* C разговор*
sr R игнориши* заборави* занемари* O упутств* инструкци* правил* налог* N не немој никад T говори* реци* рећи помињи* спомињи* P корисник* H тајно кришом S пошаљи* проследи* L лозинк* шифр* C разговор*
hr R ignoriraj* ignoriši* zaboravi* zanemari* O upute uputa* uputstv* instrukcij* pravil* naredb* N ne nemoj nikad T govori* reci reći kaži spominji* spominj* P korisnik* H tajno potajno krišom S pošalji* proslijedi* prosledi* šalji L lozink* zapork* šifr* C razgovor*
sl R ignoriraj* pozabi* prezri* ne_upoštevaj O navodil* pravil* ukaz* N ne nikoli T povej* govori* omenjaj* P uporabnik* H skrivaj na_skrivaj tajno S pošlji* posreduj* L gesl* C pogovor*
uk R ігноруй* забудь* знехтуй* не_зважай* O інструкці* вказівк* правил* наказ* N не ніколи T кажи* говори* повідомля* згадуй* розповідай* P користувач* H таємно потай непомітно S надішли* відправ* перешли* L парол* облікові_дан* C розмов* листуванн* чату
be R ігнаруй* забудзь* O інструкцы* указанн* правіл* загад* N не ніколі T кажы* гавары* паведамля* згадвай* P карыстальнік* H тайна употай непрыкметна S адпраў* дашлі* перадай* L парол* C размов*
el R αγνόησε* αγνοήστε* αγνόησ* ξέχασε* ξεχάστε* παράβλεψε O οδηγί* εντολ* κανόν* κανονισμ* N μην μη ποτέ T πεις πείτε αναφέρ* αποκαλύψ* ενημερώσ* λες P χρήστη* H κρυφά μυστικά κρυφα S στείλ* προώθησ* απόστειλ* L κωδικ* συνθηματικ* διαπιστευτήρι* C συνομιλί* συζήτησ*
sq R injoro* shpërfill* harro* O udhëzim* rregull* urdhra* N mos kurrë T trego* thuaj* përmend* P përdorues* H fshehurazi fshehtësi S dërgo* përcill* L fjalëkalim* C bised*
eu R ahaztu* baztertu* ez_ikusi* ez_kontuan* alde_batera O jarraibide* argibide* agindu* arau* N ez inoiz T esan* aipatu* jakinarazi* P erabiltzaile* H ezkutuan isilpean S bidali* igorri* L pasahitz* C elkarrizketa*
ca R ignora* oblida* O instruccions* ordres regles directrius N no mai T diguis* esmentis* mencionis* expliquis* revelis* P usuari* H amagat en_secret d'amagat S envia* tramet* reenvia* L contrasenyes contrasenya* C conversa conversació xat*
gl R ignora* esquece* O instrucións* ordes regras directrices N non nunca T digas* menciones* reveles* P usuari* H agochadas segredo S envía* manda* reenvía* L contrasinal* C conversa* conversación*
ga R déan_neamhaird neamhaird* dearmad* O treoracha treoir* rialacha orduithe N ná T habair* inis* luaigh* P úsáideoir* n-úsáideoir* H rún rúnda discréideach S seol* cuir L pasfhoca* focal_faire C comhrá* gcomhrá*
gd R leig_seachad dìochuimhnich* O stiùireadh* riaghailt* òrdugh* N na T innis* P cleachdaiche* chleachdaiche* H dìomhair* S cuir L facal-faire faclan-faire C còmhradh*
cy R anwybydd* anghofi* diystyr* O cyfarwydd* gyfarwydd* rheol* reol* gorchymyn* orchymyn* N peidiwch pheidiwch paid phaid beidio T dweud ddweud sôn P defnyddiwr* H gyfrinachol dirgel S anfon* hanfon* danfon* L cyfrinair* cyfrineir* C sgwrs*
br R disoñj* ankounac'h* O kemennad* reolenn* N na arabat T lavar* P implijer* H kuzh S kas L ger-tremen C kaozeadenn*
mt R injora* insa O istruzzjonijiet regoli ordnijiet N tgħidx tgħidlux T utent U tgħidlux tgħidilx issemmix P utent* l-utent H bil-moħbi sigriet S ibgħat* L password* C konversazzjoni*
la R ignora* negleg* neglig* obliviscere contemne O praecept* mandat* iuss* instructiones regulas N noli ne numquam T dicere dic narra* indices mentionem P usor* utent* usuari* utilitor* homini domino H clam secreto occulte tacite S mitte* transmitte* L tessera* signum_secretum secreta verba_secreta C colloqui* sermon* conlocution*
eo R ignoru* forgesu* O instrukcio* regulo* ordono* N ne neniam T diru* rakontu* menciu* P uzanto* H sekrete kaŝe S sendu* plusendu* L pasvorto* C konversacio*
af R ignoreer* vergeet O instruksies* reëls* opdragte N nie moenie nooit T vertel* sê noem* P gebruiker* H stilletjes heimlik S stuur* L wagwoord* C gesprek*
zu R unganak* ungawunak* ungayinak* ziba* yiba* khohlwa* shaya_indiva indiva O imiyalelo* iziyalezo* imithetho* iziqondiso* imiyalo* T tshela U ungamtshel* ungamazis* ungatshel* ungasho* ungakhulum* P umsebenzisi* abasebenzisi* H ngasese ngokuyimfihlo imfihlo S thumela* dlulisela* L amaphasiwedi* iphasiwedi* amagama-mfihlo C ingxoxo*
xh R sukunanza* ungahoyi* musa_ukunanza libala* O imiyalelo* imithetho* imigaqo* T xelela U ungamxelel* musa_ukuxelela ungaxelel* P umsebenzisi* H ngasese ngokufihlakeleyo S thumela* L iphaswedi* amagama_agqithisayo C incoko*
st R hlokomoloha* lebala* O litaelo* ditaelo* melao* N se_ke T bolella* P mosebelisi* modirisi* H sephiri lekunutung S romela* L phasewete* C puisano*
sn R furatira* kanganwa* regedza O mirairo* mitemo* zvirayiridzo* T udza U usaudz* usatauri* P mushandisi* H chinyararire pachivande S tumira* L mapassword pasiwedhi* C hurukuro*
ny R nyalanyaza* iwala* O malangizo* malamulo* T uza U musauz* osauz* P wogwiritsa* H mobisa mwachinsinsi S tumiza* L mawu_achinsinsi C zokambirana*
rw R irengagize* wirengagize* ibagirwa* O amabwiriza* amategeko* T bwira U ntubwire ntumenyeshe P ukoresha* umukoresha* H rwihishwa S ohereza* L ijambobanga amagambobanga C ikiganiro*
sw R puuza* yapuuze sahau* usizingatie usijali O maagizo* maelekezo* kanuni* amri sheria* T mwambie U usimwambi* usiwaambi* usimjulish* usitaj* usimweleze* P mtumiaji* watumiaji* H siri kisiri kimya_kimya S tuma* peleka* sambaza* utume L nywila* nenosiri* maneno_ya_siri C mazungumzo*
yo R foju* kọju* gbagbe* O ìtọ́nisọ́nà* ìlànà* àṣẹ* òfin* itọnisọna* N má máṣe maṣe T sọ fún P olumulo* òǹlò* aṣàmúlò* H ìkọ̀kọ̀ aṣírí S ránṣẹ́* firanṣẹ* fi_ránṣẹ́ L ọ̀rọ̀-aṣínà ọrọigbaniwọle* C ìbánisọ̀rọ̀* ibaraẹnisọrọ*
ig R leghara* eleghara* chefuo* O ntuziaka* iwu ụkpụrụ* T gwa U agwala* ekwula* P onye_ọrụ onye_ọrụ* H nzuzo S ziga* zipu* L okwuntughe* paswọọdụ* C mkparịta*
ha R yi_watsi watsi* manta* O umarni* umarnin* dokoki* ka'idoji* T gaya U kada_ka_gaya kar_ka_gaya kada_ku_gaya kada_a_gaya P mai_amfani* H asirce boye S aika* tura* L kalmar_sirri kalmomin_sirri C tattaunawa* hira*
so R iska_indha_tir ha_tixgelin iska_dhaaf ilow* O tilmaam* amar* xeer* T sheeg U ha_u_sheegin ha_sheegin hana_u_sheegin u_sheegin P isticmaalaha* adeegsadaha* H qarsoodi* S u_dir dirtaan L furaha_sirta erayga_sirta* C wadahadal* sheekad*
mg R aza_hadino hadino* tsinontsinoavy* ataovy_tsinontsinona O toromarika* fitsipika* baiko* N aza T lazaina milaza lazao P mpampiasa* H mangingina miafina S alefaso* alefa L tenimiafina* C resaka*
am R ችላ_በል* ችላ እርሳ* O መመሪያ* ትዕዛዝ* ህጎች* T ንገር U አትንገር* አትናገር* አታሳውቅ* P ተጠቃሚ* ለተጠቃሚ* H በድብቅ በሚስጥር S ላክ* L የይለፍ_ቃል* የይለፍ C ውይይት* ንግግር*
he R התעלם* התעלמ* תתעלם* תתעלמ* שכח* תשכח* O הוראות* ההוראות* מההוראות* כללים* הכללים* מהכללים* הנחיות* ההנחיות* מההנחיות* N אל לא לעולם_אל T תספר* תגיד* תאמר* תזכיר* תגלה* תודיע* P משתמש* למשתמש* המשתמש* מהמשתמש* H בחשאי בסתר בסוד S שלח* תשלח* העבר* L סיסמ* הסיסמ* אישורי_הכניסה C השיחה* שיחה* ההתכתבות
yi R איגנאָריר* פֿאַרגעס* O אינסטרוקציע* כּללים N נישט ניט T זאָג* דערצייל* P באַניצער* H בסוד שטילערהייט S שיק* L פּאַראָל* C שמועס*
fa R نادیده* فراموش_کن فراموش_کنید بی_توجه O دستور* دستورالعمل* قوانین* قواعد* T بگو U نگو* نگویید* نگوی* اطلاع_نده اطلاع_ندهید اشاره_نکن P کاربر* H مخفیانه پنهانی محرمانه S بفرست* ارسال_کن* L رمز* گذرواژه* C گفتگو* گفت‌وگو* مکالمه*
ur R نظرانداز نظر_انداز بھول_جا* O ہدایات* ہدایت* احکام* قواعد* اصول* N مت نہ T بتا* بتائیں* ذکر P صارف* H خفیہ چپکے خاموشی S بھیج* ارسال L پاس_ورڈ* پاسورڈ* C گفتگو* بات_چیت
ps R له_پامه هېر_کړ* O لارښوون* قواعد* امر* N مه T وایاست وایه وویه P کاروونک* کارن* H پټ په_پټه S واستوئ ولېږ* واستوه L پټنوم* پاسورډ* C خبرې* مرکه
ku R guh_nede paşguh* ji_bîr_bike O talîmat* rêbernam* rêzik* ferman* N ne T bêje vebêje U nebêje* nebêj* P bikarhêner* H bi_dizî veşartî S bişîne* L şîfre* C axaftin* gotûbêj*
bn R উপেক্ষা* ভুলে_যা* অগ্রাহ্য* O নির্দেশ* নিয়ম* আদেশ* X না কখনো_না নয় T বলবেন* বল* জানাবেন* জানাবে* উল্লেখ* P ব্যবহারকারী* H গোপনে চুপিচুপি লুকিয়ে S পাঠা* পাঠান* প্রেরণ* L পাসওয়ার্ড* C কথোপকথন* চ্যাট*
pa R ਨਜ਼ਰਅੰਦਾਜ਼* ਅਣਡਿੱਠ* ਭੁੱਲ* O ਹਦਾਇਤ* ਨਿਰਦੇਸ਼* ਨਿਯਮ* N ਨਾ ਨਹੀਂ T ਦੱਸ* P ਉਪਭੋਗਤਾ* ਵਰਤੋਂਕਾਰ* H ਗੁਪਤ ਚੁੱਪਚਾਪ S ਭੇਜ* L ਪਾਸਵਰਡ* C ਗੱਲਬਾਤ*
gu R અવગણ* ભૂલી* O સૂચના* નિયમ* આદેશ* N ન નહીં X નહીં નહિ T કહેશો કહો જણાવશો જણાવ* P વપરાશકર્તા* યુઝર* H ગુપ્ત* ચૂપચાપ છાનામાના S મોકલ* L પાસવર્ડ* C વાતચીત*
mr R दुर्लक्ष* विसर* O सूचना* नियम* आदेश* निर्देश* N नका X नका नको T सांग* उल्लेख* P वापरकर्त* H गुप्तपणे गुपचूप S पाठव* L पासवर्ड* C संभाषण* संवाद*
ne R बेवास्ता* बिर्स* O निर्देशन* निर्देश* नियम* आदेश* U नभन्नु* नभन* नबताउ* T भन P प्रयोगकर्ता* H गोप्य* चुपचाप S पठाउ* पठाइ* L पासवर्ड* C कुराकानी* वार्तालाप*
si R නොසලකා* අමතක* O උපදෙස්* නීති* නියෝග* N එපා X එපා T කියන්න කියන්* පවසන්* P පරිශීලක* H රහසින් රහසේ S යවන්* එවන්* L මුරපද* C සංවාද*
ta R புறக்கணி* மற* அலட்சிய* O வழிமுறை* அறிவுறுத்தல்* விதி* கட்டளை* U சொல்லாதே* சொல்லாதீர்கள்* கூறாதே* கூறாதீர்* தெரிவிக்காதே* T சொல் P பயனர்* பயனாளர்* H ரகசிய* இரகசிய* S அனுப்பு* அனுப்ப* L கடவுச்சொ* C உரையாடல்* அரட்டை*
te R విస్మరించ* పట్టించుకో* మర్చిపో* O సూచన* నియమ* ఆదేశ* U చెప్పవద్దు* చెప్పకు* చెప్పకండి* తెలియజేయవద్దు* T చెప్ప P వినియోగదారు* యూజర్* H రహస్యంగా గుట్టుగా S పంపు* పంపం* L పాస్‌వర్డ్* పాస్వర్డ్* C సంభాషణ*
kn R ನಿರ್ಲಕ್ಷ* ಮರೆತು* ಕಡೆಗಣಿ* O ಸೂಚನೆ* ನಿಯಮ* ಆದೇಶ* U ಹೇಳಬೇಡಿ* ಹೇಳಬೇಡ* ತಿಳಿಸಬೇಡಿ* T ಹೇಳ P ಬಳಕೆದಾರ* H ರಹಸ್ಯವಾಗಿ ಗುಟ್ಟಾಗಿ S ಕಳುಹಿಸ* L ಪಾಸ್‌ವರ್ಡ್* ಪಾಸ್ವರ್ಡ್* C ಸಂಭಾಷಣೆ*
ml R അവഗണി* മറക്ക* O നിർദ്ദേശ* നിർദേശ* നിയമ* ഉത്തരവ* U പറയരുത്* അറിയിക്കരുത്* T പറയ P ഉപയോക്താ* H രഹസ്യമായി S അയയ്ക്ക* അയക്ക* L പാസ്‌വേഡ* പാസ്‌വേർഡ* C സംഭാഷണ*
th R เพิกเฉย ไม่ต้องสนใจ อย่าสนใจ ละเว้น ลืม ไม่สนใจ O คำสั่ง คำแนะนำ กฎ ข้อกำหนด N อย่า ห้าม ไม่ต้อง โดยไม่ T บอก แจ้ง กล่าวถึง พูดถึง เปิดเผย P ผู้ใช้ H แอบ ลับๆ เงียบๆ อย่างลับ S ส่ง ส่งต่อ L รหัสผ่าน ข้อมูลรับรอง C บทสนทนา การสนทนา แชท
lo R ບໍ່ສົນໃຈ ລະເລີຍ ລືມ O ຄຳສັ່ງ ຄໍາສັ່ງ ຄຳແນະນຳ ກົດລະບຽບ N ຢ່າ ຫ້າມ T ບອກ ແຈ້ງ P ຜູ້ໃຊ້ H ລັບໆ ແອບ S ສົ່ງ L ລະຫັດຜ່ານ C ການສົນທະນາ ບົດສົນທະນາ
km R មិនអើពើ ព្រងើយកន្តើយ កុំខ្វល់ ភ្លេច O ការណែនាំ សេចក្តីណែនាំ បទបញ្ជា ច្បាប់ N កុំ មិនត្រូវ T ប្រាប់ និយាយ P អ្នកប្រើ អ្នកប្រើប្រាស់ H លួច សម្ងាត់ស្ងាត់ ដោយសម្ងាត់ S ផ្ញើ បញ្ជូន L ពាក្យសម្ងាត់ លេខសម្ងាត់ C ការសន្ទនា
my R လျစ်လျူရှု မေ့ O ညွှန်ကြားချက် စည်းကမ်း အမိန့် X မပြော U မပြောပါနှင့် မပြောပါနဲ့ မပြောနဲ့ အသိမပေး T ပြော P အသုံးပြုသူ H လျှို့ဝှက်စွာ တိတ်တဆိတ် S ပို့ L စကားဝှက် C စကားပြော စကားဝိုင်း
bo R སྣང་མེད བརྗེད O བཀོད་བྱ ལམ་སྟོན སྒྲིག་གཞི N མ T བཤད P སྤྱོད་མཁན H གསང་བ S གཏོང L གསང་ཚིག C ཁ་བརྡ
vi R bỏ_qua phớt_lờ lờ_đi quên O chỉ_dẫn hướng_dẫn chỉ_thị quy_tắc lệnh N đừng không không_được không_bao_giờ T nói kể tiết_lộ đề_cập báo_cho P người_dùng H bí_mật lén_lút âm_thầm S gửi chuyển_tiếp L mật_khẩu thông_tin_đăng_nhập C cuộc_trò_chuyện hội_thoại đoạn_chat
id R abaikan* lupakan* acuhkan* O instruksi* perintah* aturan* arahan* N jangan tidak_perlu tanpa T beri_tahu beritahu* katakan* sebutkan* ungkapkan* memberi_tahu P pengguna* H diam-diam rahasia secara_rahasia S kirim* kirimkan* teruskan* L kata_sandi sandi kredensial* C percakapan* obrolan*
ms R abaikan* lupakan* O arahan* peraturan* perintah* N jangan tanpa T beritahu* maklumkan* sebut* memberitahu* P pengguna* H rahsia senyap-senyap diam-diam S hantar* kirim* L kata_laluan* C perbualan*
tl R balewalain* huwag_pansinin kalimutan* isantabi* O tagubilin* panuto* utos* patakaran* mga_tuntunin alituntunin* N huwag hindi T sabihin* banggitin* ipaalam* P user gumagamit* tagagamit* H palihim lihim* patago S ipadala* magpadala* L password* mga_password C usapan* pag-uusap*
jv R aja_digatekake lalekna* nglirwakake* O instruksi* pituduh* aturan* prentah* N aja ojo T kandha* ngomong* critakake P pangguna* panganggo* H meneng-menengan dhedhemitan S kirim* L tembung_sandi C obrolan*
su R ulah_dipaliré poho* mopohokeun* O paréntah* pituduh* aturan* N ulah T béjakeun* ngabéjaan nyarios* P pamaké* H rusiah susulumputan S kirim* L kecap_sandi sandi C paguneman* obrolan*
ceb R ayaw_tagda kalimti* O instruksyon* mga_lagda sugo N ayaw T sultihi* isulti* P tiggamit* gumagamit* H tago hilom S ipadala* L password* C panag-istorya*
mi R waihotia* wareware* kaua_e_aro O tohutohu* ture whakahau* N kaua T kōrero* whākī* P kaiwhakamahi* H puku muna S tukuna* L kupuhipa* C kōrerorero*
haw R nānā_ʻole haʻalele* poina* O kuhikuhi* kānāwai* kauoha* N mai T haʻi* haʻina P mea_hoʻohana* H malū S hoʻouna* L ʻōlelo_huna C kamaʻilio*
sm R le_amanaia tuulafoa* galo O faatonuga* tulafono* N aua T tau* faailoa P tagata_faaaoga* H faalilolilo S lafo* L upu_faataga C talanoaga*
ka R უგულებელყ* დაივიწყე* იგნორირება* ნუ_მიაქცევ O ინსტრუქცი* მითითებ* წეს* ბრძანებ* N არ ნუ არასოდეს T უთხრა* უთხრათ* ეტყვი* თქვა* ახსენო* აცნობო* P მომხმარებ* H ფარულად ჩუმად საიდუმლოდ მალულად S გაგზავნ* გააგზავნ* გაუგზავნ* გადაუგზავნ* L პაროლ* C საუბ* მიმოწერ* ჩატ*
hy R անտեսիր* անտեսեք* մոռացիր* մոռացեք* O հրահանգ* ցուցում* կանոն* հրաման* T ասա U մի_ասա* մի_ասեք* չասես* մի_պատմ* մի_հայտն* P օգտատ* օգտվող* H գաղտնի* թաքուն S ուղարկ* L գաղտնաբառ* C զրույց* խոսակցութ*
az R nəzərə_alma* məhəl_qoyma* unut* O təlimat* göstəriş* qayda* əmrlər* U demə deməyin söyləmə* bildirmə* T de P istifadəçi* H gizlicə xəlvətcə S göndər* L parol* şifrə* C söhbət* yazışma*
kk R елеме* ұмыт* назар_аудармa* O нұсқаулар* нұсқау* ереже* бұйрық* U айтпа* хабарлама T айт P пайдаланушы* қолданушы* H жасырын құпия S жібер* L құпиясөз* құпия_сөз* C әңгіме* сөйлес*
ky R этибарга_алба* унут* көңүл_бурба O көрсөтмө* нускама* эреже* буйрук* U айтпа* билдирбе* T айт P колдонуучу* H жашыруун жашырын S жөнөт* L сырсөз* C баарлашуу* маек*
uz R e'tibor_berma* e’tibor_berma* e‘tibor_berma* unut* O ko'rsatma* ko‘rsatma* koʻrsatma* ko’rsatma* qoida* buyruq* U aytma* bildirma* T ayt P foydalanuvchi* H yashirin* maxfiy S yubor* jo'nat* joʻnat* jo‘nat* L parol* C suhbat*
tt R игътибарсыз* онытыгыз оныт* O күрсәтмә* кагыйдә* U әйтмә* T әйт P кулланучы* H яшерен* S җибәр* L серсүз* C сөйләшү*
tg R нодида* фаромӯш* O дастур* қоида* U нагӯ* T гӯй P корбар* H пинҳон* махфиёна S фирист* L парол* рамз* C сӯҳбат* гуфтугӯ*
mn R үл_тоо* мартаж* март O заав* дүрэм* дүрм* тушаал* N битгий бүү T хэл* дурд* битгий_хэл P хэрэглэгч* H нууцаар чимээгүй S илгээ* явуул* L нууц_үг* C яриа* харилцан_яриа
lb R ignoréier* vergiess* O instruktioun* reegelen* uweisung* N net ni T so soen erziel* verzielen P benotzer* H heemlech S schéck* L passwierd* passwuert* C gespréich*
fy R negearje* ferjit O ynstruksje* regels N net T fertel* siz P brûker* H stikem S stjoer* L wachtwurd* C petear*
oc R ignora* oblida* O instruccions* règlas consignas N pas T diga* digas P utilizaire* H escondons en_secrèt S manda* envia* L senhals C conversacion*
co R ignurà* scurdate* O istruzzioni* regule N micca T dì dite P utilizatore* H nascosu S mandà* L parulle_secrete C cunversazione*
ht R inyore* bliye* O enstriksyon* règ lòd N pa T di pale mansyone P itilizatè* H an_kachèt kachèt S voye* L modpas* C konvèsasyon*
jam R figet* pay_nuh_mind O instrukshan* ruul* N nuh no T tell P yuuza* H sneaky S sen L paaswod* C konvasieshan*
tpi R lusim* lusting* O lo stiatok tok N no noken T tokim* P yusa* man H hait S salim* L paswod* tok_hait C toktok*
`;
