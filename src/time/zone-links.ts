/**
 * Names of time zones that have the same clock, from the links of the IANA database (`backward`). Which names a system
 * knows depends on its package: Debian 13 leaves the old names out of `tzdata`.
 */

/** Per line, the names of one clock, the usual one of ICU first. */
const CLOCKS = `
  Africa/Asmera Africa/Asmara
  Africa/Bamako Africa/Timbuktu
  Africa/Cairo Egypt
  Africa/Tripoli Libya
  America/Adak America/Atka US/Aleutian
  America/Anchorage US/Alaska
  America/Buenos_Aires America/Argentina/Buenos_Aires
  America/Catamarca America/Argentina/Catamarca America/Argentina/ComodRivadavia
  America/Chicago US/Central
  America/Coral_Harbour America/Atikokan
  America/Cordoba America/Argentina/Cordoba America/Rosario
  America/Denver America/Shiprock US/Mountain Navajo
  America/Detroit US/Michigan
  America/Edmonton America/Yellowknife Canada/Mountain
  America/Godthab America/Nuuk
  America/Halifax Canada/Atlantic
  America/Havana Cuba
  America/Indiana/Knox America/Knox_IN US/Indiana-Starke
  America/Indianapolis America/Fort_Wayne America/Indiana/Indianapolis US/East-Indiana
  America/Iqaluit America/Pangnirtung
  America/Jamaica Jamaica
  America/Jujuy America/Argentina/Jujuy
  America/Los_Angeles US/Pacific
  America/Louisville America/Kentucky/Louisville
  America/Manaus Brazil/West
  America/Mazatlan Mexico/BajaSur
  America/Mendoza America/Argentina/Mendoza
  America/Mexico_City Mexico/General
  America/New_York US/Eastern
  America/Noronha Brazil/DeNoronha
  America/Phoenix US/Arizona
  America/Regina Canada/Saskatchewan
  America/Rio_Branco America/Porto_Acre Brazil/Acre
  America/Santiago Chile/Continental
  America/Sao_Paulo Brazil/East
  America/St_Johns Canada/Newfoundland
  America/St_Thomas America/Virgin
  America/Tijuana America/Ensenada America/Santa_Isabel Mexico/BajaNorte
  America/Toronto America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern
  America/Vancouver Canada/Pacific
  America/Whitehorse Canada/Yukon
  America/Winnipeg America/Rainy_River Canada/Central
  Antarctica/McMurdo Antarctica/South_Pole
  Arctic/Longyearbyen Atlantic/Jan_Mayen
  Asia/Ashgabat Asia/Ashkhabad
  Asia/Calcutta Asia/Kolkata
  Asia/Dhaka Asia/Dacca
  Asia/Hong_Kong Hongkong
  Asia/Jerusalem Asia/Tel_Aviv Israel
  Asia/Katmandu Asia/Kathmandu
  Asia/Macau Asia/Macao
  Asia/Makassar Asia/Ujung_Pandang
  Asia/Nicosia Europe/Nicosia
  Asia/Rangoon Asia/Yangon
  Asia/Saigon Asia/Ho_Chi_Minh
  Asia/Seoul ROK
  Asia/Shanghai Asia/Chongqing Asia/Chungking Asia/Harbin PRC
  Asia/Singapore Singapore
  Asia/Taipei ROC
  Asia/Tehran Iran
  Asia/Thimphu Asia/Thimbu
  Asia/Tokyo Japan
  Asia/Ulaanbaatar Asia/Choibalsan Asia/Ulan_Bator
  Asia/Urumqi Asia/Kashgar
  Atlantic/Faeroe Atlantic/Faroe
  Atlantic/Reykjavik Iceland
  Australia/Adelaide Australia/South
  Australia/Brisbane Australia/Queensland
  Australia/Broken_Hill Australia/Yancowinna
  Australia/Darwin Australia/North
  Australia/Hobart Australia/Currie Australia/Tasmania
  Australia/Lord_Howe Australia/LHI
  Australia/Melbourne Australia/Victoria
  Australia/Perth Australia/West
  Australia/Sydney Australia/ACT Australia/Canberra Australia/NSW
  Europe/Chisinau Europe/Tiraspol
  Europe/Dublin Eire
  Europe/Istanbul Asia/Istanbul Turkey
  Europe/Kiev Europe/Kyiv Europe/Uzhgorod Europe/Zaporozhye
  Europe/Lisbon Portugal
  Europe/London Europe/Belfast GB GB-Eire
  Europe/Moscow W-SU
  Europe/Warsaw Poland
  Pacific/Auckland NZ
  Pacific/Chatham NZ-CHAT
  Pacific/Easter Chile/EasterIsland
  Pacific/Enderbury Pacific/Kanton
  Pacific/Honolulu Pacific/Johnston US/Hawaii
  Pacific/Kwajalein Kwajalein
  Pacific/Pago_Pago Pacific/Samoa US/Samoa
  Pacific/Ponape Pacific/Pohnpei
  Pacific/Truk Pacific/Chuuk Pacific/Yap
  Etc/GMT Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich Etc/UCT Etc/UTC Etc/Universal Etc/Zulu GMT Greenwich UCT UTC Universal Zulu
`;

export const sameClocks: readonly (readonly string[])[] = CLOCKS.trim()
  .split('\n')
  .map((line) => line.trim().split(' '));
