import { listed } from '../../domain/titles/listed.ts'

/** How editors of the official feeds write people into texts, with invented ones. */
export const FORMS_OF_PEOPLE = [
  'scheduling their inspection directly with:\n\n Trevor Quarles \nGeneral Supply Specialist (FLO)\nU.S. Army Corps of Engineers\nPittsburgh, PA 15225\nOffice: (412) 555-0161',
  'Custodian:\nQUARLES, BOB\nCONTRACT SPECIALIST\n(4) desks',
  'Nancy Quarles\nProperty Specialist\nPhone: 446-0100',
  'Primary: Bob Quarles\nAlternate: Nancy Quarles',
  ...listed(`For keys call Nancy Quarles 446-0100. | Keys with Bob Quarles ext 4410. | Nancy Quarles @ 918-446-0133
    | Mr. Quarles at 318-446-0100, OR Mr. Bob Quarles at 318.446.0199. | MR. QUARLES AT 318/446-0100
    | Nancy Quarles – (918) 446-0133 x12 | NANCY QUARLES, INVENTORY MANAGEMENT SPECIALIST, FT SILL OK
    | Appointments through Nancy Quarles. | Nancy Quarles, Property Disposal Officer, will escort you.
    | Rodney T. Quarles, Sr., Inventory Management Specialist, 504-446-0136, Ext. 67316.
    | Nancy Quarles (318) 446-017 | TSgt Bob Quarles 446-0100 | Released by: Bob Quarles
    | CALL BOB QUARLES AT 4460100 FOR INSPECTION | Contact Bob Smith; Nancy Quarles | Questions? Bob Quarles.
    | Property Manager: Bob Quarles | Previously driven by Chief Quarles. | Dr. Quarles has it.
    | Write to nancy.quarles at example dot gov. | nancy dot quarles at example dot gov
    | For removal: Bob Quarles (Warehouse Foreman) | text 4460100 for keys
    | Please reach out to Nancy Quarles. | For access notify Nancy Quarles 24 hours in advance.
    | Coordinate pickup/inspection with Nancy Quarles | Removal is coordinated w/ Nancy Quarles.
    | Hand receipt holder: Nancy Quarles | Property Book Officer: CW3 Nancy Quarles | PM: Nancy Quarles
    | Facility Manager- Nancy Quarles | LTC Nancy Quarles | Nancy Quarles, GS-11 | NANCY QUARLES, CTR | Keys: Nancy Quarles
    | Send the statement to Nancy Quarles no later than Friday. | Assigned to Nancy Quarles until 2024.
    | FOR INSPECTION APPOINTMENT CALL NANCY QUARLES | INSPECTION: SEE NANCY QUARLES BLDG 12
    | Nancy Quarles’ office is in building 7. | Nancy Quarles, who manages the yard, has it.
    | nancy.quarles_at_example.gov | nancy.quarles -at- example -dot- gov | VIN: 1FTFW1EF5 EFA12345`),
  ...[
    'Property custodian:\nNancy Quarles and Bob Quarles',
    'Custodians:\nNancy Quarles / Bob Quarles',
    'POC:\n1. Nancy Quarles\n2. Bob Quarles',
    'POC:\nNancy Quarles - Primary\nBob Quarles - Alternate',
    'POC:\nNancy Quarles, Bldg 220',
    'Contact the following personnel:\nNancy Quarles',
    'Property Custodian Information:\nNancy Quarles',
    'Inspection Contact(s):\nNancy Quarles',
    'For questions:\nNancy de la Quarles',
    'Bidders must schedule with the following individuals:\nNancy Quarles',
  ],
]

/** What of these people nothing may hold. */
export const PLANTED =
  /quarles|specialist|trevor|(?<!\d)446[-. ]?0|555-0|(?<!\d)4410(?!\d)|67316|1FTFW1EF5EFA12345/i
