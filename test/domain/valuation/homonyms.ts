import type { Category } from '../../../src/domain/titles/categories.ts'

/** Words that name things of several markets: titles of each meaning, by their market. */
export const HOMONYMS: Record<string, Partial<Record<Category, string>>> = {
  mini: {
    'heavy-equipment': 'Caterpillar 304D CR Mini Excavator | Kubota mini excavator KX040',
    electronics: 'HP EliteDesk 800 G3 Mini Desktop | Dell OptiPlex 7060 mini',
    vehicles: '2012 Mini Cooper | 2009 Coleman mini bike',
    other: 'Mini fridge | Mini refrigerator',
  },
  mixer: {
    other: 'Hobart 60 qt mixer | Hobart dough mixer | Stand mixer, KitchenAid',
    'heavy-equipment': 'Concrete mixer, towable | Cement mixer | Stone concrete mixer, gas',
    'tools-industrial': 'Paint mixer | Mortar mixer, 9 cu ft | Drywall mud mixer',
    electronics: `Yamaha 12-channel mixer | Sound mixer | Audio mixer, 24 channel | Crate powered mixer
      | Digital matrix mixer | Video mixer | Soundcraft mixer`,
    'medical-scientific': 'Vortex mixer, lab',
    vehicles: 'Concrete mixer truck',
  },
  crane: {
    'heavy-equipment': 'Grove rough terrain crane | 50 ton mobile crane | Overhead crane, 5 ton',
    'tools-industrial': 'Engine crane, 2 ton | Shop crane | Crane scale',
    vehicles: '2008 International 4300 with crane | Crane truck',
    'medical-scientific': 'Pelton Crane dental light',
    other: 'Crane stationery wedding paper | Crane fly traps',
  },
  tank: {
    'tools-industrial':
      'Propane tank, 500 gallon | Water tank, poly | Fuel tank, 100 gal | Air tank',
    other: 'Fish tank, 55 gallon | Tank tops, womens | Scuba tank',
    'medical-scientific': 'Oxygen tank | Cryo tank',
    vehicles: 'Tank truck | Tank trailer, 5000 gal',
    'military-surplus': 'Military tank parts',
  },
  oven: {
    other: 'Blodgett convection oven | Pizza oven | Microwave oven | Toaster oven',
    'medical-scientific': 'Laboratory oven | Vacuum oven, VWR | Drying oven, Fisher',
    'tools-industrial':
      'Powder coating oven | Industrial curing oven | Reflow oven | Welding rod oven',
  },
  monitor: {
    electronics: 'Dell 24 inch monitor | 24" computer monitors',
    'medical-scientific': 'Patient monitor, Philips | Fetal monitor | Blood pressure monitor',
    'tools-industrial': 'Gas monitor, 4 gas | Air monitor',
    other: 'Monitor lizard cage',
  },
  bed: {
    'medical-scientific': 'Hospital bed, electric | Hill-Rom bed',
    vehicles: `2007 International stake bed | Stake bed truck | Utility bed, Reading
      | 2007 International rollback bed | Crane bed`,
    'office-furniture': 'Bunk beds | Queen bed | Twin bed with headboard | Sleigh bed',
    other: 'Raised garden bed | Dog bed | Flower bed edging',
  },
  track: {
    'heavy-equipment': 'Track hoe | Cat 299D track loader | Excavator rubber track',
    'tools-industrial': 'Track lighting | Track saw, Festool | Track light fixtures',
    other: 'Track Panel 4 x 4 inches | Curtain track | Slot car track | Track shoes | Track suit',
  },
  lift: {
    'heavy-equipment': 'Scissor lift, Genie | Boom lift, 40 ft',
    'medical-scientific': 'Patient lift, Hoyer | Ceiling lift, Guldmann',
    'tools-industrial': 'Two post lift | Automotive lift | Vehicle lift, Rotary',
    vehicles: 'Lift kit for F-250 | Liftgate, Tommy',
    other: 'Ski lift passes',
  },
  accessories: {
    electronics: 'Computer accessories | Camera accessories | Phone accessories',
    vehicles: 'Truck accessories | Motorcycle accessories | Car accessories',
    other: 'Clothing accessories | Fashion accessories | Kitchen accessories',
    'medical-scientific': 'Medical accessories | Wheelchair accessories',
    'office-furniture': 'Desk accessories',
  },
  switch: {
    electronics: 'Cisco switches | Computer Switches | Network switch, 48 port | Nintendo Switch',
    'tools-industrial': `Light switches | Limit switch | Pressure switch | Transfer switch, 200 amp
      | Toggle switches | Float switch | Foot switch | Switch plates`,
  },
  press: {
    'tools-industrial':
      'Hydraulic press | Arbor press | Printing press | Heat press | Walker shop press',
    other: `Leg press machine | Bench press | French press | Garlic press | Tortilla press
      | Panini press`,
  },
  plate: {
    'heavy-equipment': 'Plate compactor',
    'medical-scientific': 'Plate reader | Plate washer, 96 well',
    other: 'Dinner plates | License plates | Paper plates',
    'tools-industrial': 'Steel plate | Surface plate, granite | Hot plate welder',
  },
  cart: {
    vehicles: 'Golf cart | Electric cart, Cushman',
    'medical-scientific': 'Crash cart | Medical cart | Medication cart',
    'tools-industrial': 'Tool cart | Utility cart | Cleaning cart',
    other: 'Food cart | Hot dog cart | Shopping carts',
    electronics: 'Laptop cart | Computer cart',
    'heavy-equipment': 'Grain cart',
  },
  drill: {
    'tools-industrial': 'Cordless drill | Drill press | Hammer drill, Hilti',
    'heavy-equipment': 'Grain drill | Seed drill, Truax | Drill rig',
    'medical-scientific': 'Surgical drill | Dental drill | Stryker drill',
  },
  pump: {
    'tools-industrial': 'Water pump | Sump pump | Vacuum pump | Hydraulic pump',
    'medical-scientific': 'Infusion pump | Breast pump | Syringe pump | IV pump',
    'heavy-equipment': 'Concrete pump',
    other: 'Open toe pumps | Ladies pumps, size 8 | Pump shoes | Bike pump',
  },
  printer: {
    electronics: 'HP LaserJet printer | Label printer, Zebra',
    'tools-industrial': '3D printer | Screen printer, 6 color | Printing press',
    'office-furniture': 'Printer stand | Printer table | Printer paper',
  },
  saw: {
    'tools-industrial': 'Table saw | Band saw | Chain saw, Stihl | Miter saw | Concrete saw',
    'medical-scientific': 'Autopsy saw | Bone saw | Cast saw | Surgical saw',
    other: 'See saw playground | Meat saw, Hobart | Musical saw',
  },
  grader: {
    'heavy-equipment': 'Motor grader | Road grader, Champion | Cat 140 grader | Box grader',
    electronics: 'Scantron test grader',
    other: 'Egg grader | First grader books | Coin grader',
  },
  roller: {
    'heavy-equipment': 'Vibratory roller, Bomag | Asphalt roller | Drum roller',
    'tools-industrial': 'Paint roller | Paint rollers and trays | Lawn roller | Conveyor roller',
    other:
      'Hot dog roller | Foam roller | Hair rollers | Roller skates | Roller blades | Lint rollers',
  },
  tower: {
    electronics: 'Dell tower computer | Computer towers | Optiplex tower',
    'tools-industrial': 'Light tower | Cooling tower | Scaffold tower',
    'medical-scientific': 'Endoscopy tower | Video tower, Stryker',
    'office-furniture': 'Storage tower cabinet',
    other: 'Cat tower',
  },
  station: {
    vehicles: 'Station wagon, Ford',
    electronics: 'Docking station | Base station radio | PlayStation 4 | Weather alert station',
    'tools-industrial': 'Total station, Topcon | Power station | Eye wash station | Pump station',
    'office-furniture': 'Work station | Printer station',
    'medical-scientific': 'Weather station | Nurse station',
    other: 'Diaper changing station | Baby changing station',
  },
  table: {
    'office-furniture': 'Folding table | Conference table | End table',
    'medical-scientific': 'Operating table | Exam table | Massage table | Surgical table',
    'tools-industrial': 'Table saw | Welding table | Hydraulic lift table',
    other: 'Pool table | Ping pong table | Steam table | Air hockey table',
  },
  chair: {
    'office-furniture': 'Office chair | Stacking chairs | Side chair',
    'medical-scientific': `Dental chair | Wheel chair | Exam chair | 3 Wheel Chairs | Shower chair | Geri chair
      | Blood draw chair`,
    vehicles: 'Car seat',
    other: 'High chair | Barber chair | Camping chair | Lawn chair',
  },
  tractor: {
    'heavy-equipment': 'John Deere tractor 5075 | Ford tractor 8N | Lawn tractor',
    vehicles: 'Tractor trailer | Semi tractor, Freightliner | Truck tractor | Yard tractor',
    other: 'Toy tractor | Tractor supply gift card | Pedal tractor toy',
  },
  bus: {
    vehicles: 'School bus | Shuttle bus | 2012 IC Bus',
    'tools-industrial': 'Bus bar, copper | Bus duct',
    other: 'Bus boy cart tubs | Bus pass | Bus tubs',
    electronics: 'USB bus controller',
  },
  van: {
    vehicles: 'Cargo van | Passenger van, Ford | 2010 Ford van | Van ladder rack',
    other: 'Vans shoes | Van Gogh print | Van Halen records',
  },
  container: {
    other: 'Shipping container | Conex container, 20 ft',
    'medical-scientific': 'Sharps container | Specimen containers',
    'tools-industrial': 'Trash container, 95 gal | Recycling container | Chemical container',
  },
  trailer: {
    vehicles: 'Utility trailer | Boat trailer | Enclosed trailer | Trailer hitch',
    'real-estate': 'Office trailer | Mobile home',
    other: 'Movie trailer posters',
    'tools-industrial': 'Message board trailer',
  },
  boat: {
    vehicles: 'Bass boat | Pontoon boat | Jon boat',
    other: 'Gravy boat | Model boat | Boat shoes | Toy boat',
    'military-surplus': 'Assault boat | Navy boat',
  },
  mouse: {
    electronics: 'Computer mouse | Wireless mouse',
    other: 'Mickey Mouse toys | Mouse traps | Mickey Mouse watch',
    'office-furniture': 'Mouse pads',
  },
  keyboard: {
    electronics: 'HP keyboards | Computer keyboard',
    other: 'Yamaha piano keyboard | Casio musical keyboard | Keyboard piano',
    'office-furniture': 'Keyboard tray',
  },
  jack: {
    'tools-industrial': 'Floor jack | Pallet jack | Bottle jack | Hydraulic jack',
    'heavy-equipment': 'Jumping jack tamper | Jumping jack',
    'military-surplus': 'Aircraft jack',
    electronics: 'Phone jacks | Audio jacks | Ethernet jacks',
    other: 'Jack Daniels whiskey | Apple Jacks cereal',
  },
  rack: {
    'tools-industrial': 'Pallet rack | Tire rack | Pipe rack',
    electronics: 'Server rack | Computer rack | IT Rack',
    vehicles: 'Roof rack | Ladder rack | Truck rack',
    other: 'Bicycle rack | Squat rack | Wine rack | Weight rack | Clothing rack | Sheet pan rack',
    'office-furniture': 'Magazine rack | Coat rack | Literature rack',
    'military-surplus': 'Gun rack',
  },
  plow: {
    vehicles: `Snow plow | Meyer snowplow | Henke Snow Plow | Western snow plow | Snow plow truck
      | Oshkosh snow plow`,
    'heavy-equipment': 'Moldboard plow | Disc plow | Chisel plow | John Deere plow 4 bottom',
    other: 'Hearth plow catalog',
  },
  bucket: {
    'heavy-equipment': 'Excavator bucket | Loader bucket | Backhoe bucket',
    vehicles: 'Bucket truck | Bucket seats, Mustang',
    'tools-industrial': 'Mop bucket | Five gallon buckets | Plastic bucket',
    other: 'Ice bucket | KFC bucket | Champagne bucket',
  },
  compressor: {
    'tools-industrial': 'Air compressor | Ingersoll Rand compressor',
    'medical-scientific': 'Dental compressor | Medical air compressor | Nebulizer compressor',
    vehicles: 'Car A/C kit',
    electronics: 'Audio compressor limiter | DBX compressor limiter',
  },
  generator: {
    'tools-industrial': 'Diesel generator, 60 kW | Honda generator | Portable generator',
    electronics: 'Function generator | Signal generator | Pulse generator',
    'medical-scientific':
      'Electrosurgical generator | X-ray generator | Oxygen generator | Ozone generator medical',
  },
  dryer: {
    other: 'Clothes dryer | Washer and dryer | Hair dryer | Hand dryer',
    'tools-industrial': 'Air dryer, compressed | Refrigerated air dryer | Floor dryer',
    'medical-scientific': 'Freeze dryer | Glassware dryer | Plate dryer lab',
  },
  washer: {
    other: 'Washing machine | Washer and dryer | Speed Queen washer | Dish washer',
    'tools-industrial': `Pressure washer | Parts washer | Lock washers | Flat washers | Power washer
      | Window washer`,
    'medical-scientific':
      'Plate washer, lab | Washer disinfector | Glassware washer | Bedpan washer',
  },
  walker: {
    'medical-scientific': 'Walkers | Folding walker | Rollator walker | Adult walker',
    'heavy-equipment': 'Walker mower | 2012 Walker zero turn mower',
    other: 'Dog walker leash | Baby walker',
    'office-furniture': 'Shaw Walker File Cabinet',
    vehicles: 'Walker muffler',
  },
  reefer: {
    vehicles: 'Reefer box | Reefer trailer | Reefer truck | Thermo King reefer unit',
    other: 'Reefer container, 40 ft',
  },
  router: {
    electronics: 'Cisco router | Wireless router | Computer routers',
    'tools-industrial':
      'Router table | Porter-Cable router | Plunge router | CNC router | Router bits',
  },
  server: {
    electronics: 'Dell server | Rack server',
    other: 'Server aprons | Beverage server | Soup server | Process server',
  },
  scale: {
    'tools-industrial': 'Platform scale | Floor scale | Truck scale',
    'medical-scientific': 'Baby scale | Physician scale | Patient scale',
    other: 'Scale model car | Fish scale',
  },
  projector: {
    electronics: 'Epson projector | Overhead projector',
    'medical-scientific': 'Eye chart projector',
  },
  cooler: {
    other: 'Wine cooler | Igloo cooler | Walk-in cooler',
    'tools-industrial': 'Swamp cooler | Water cooler | Oil cooler',
    'medical-scientific': 'Mortuary cooler | Vaccine cooler',
  },
  hood: {
    'medical-scientific': 'Fume hood | Biosafety hood | Laminar flow hood',
    vehicles: 'Mitsubishi vehicle hood | Ford F-150 hood',
    'tools-industrial': 'Range hood | Vent hood | Welding hood',
  },
  scooter: {
    'medical-scientific': 'Mobility scooter | Knee scooter',
    vehicles: 'Vespa scooter | Motor scooter | Yamaha scooter',
    other: 'Kick scooter | Razor kids scooter',
  },
  wheel: {
    vehicles: 'Ford 17" wheels | Truck wheels',
    'tools-industrial':
      'Grinding wheel | Caster wheels | Pottery wheel | Measuring wheel | Wire wheel',
    other: 'Ab workout wheel | Ferris wheel toy | Spinning wheel | Hot wheels',
  },
  helmet: {
    other: 'Motorcycle helmet | Bike helmet | Football helmets',
    'military-surplus': 'Combat helmet | Ballistic helmet | Flight helmet',
    'tools-industrial': 'Welding helmet',
  },
  light: {
    'tools-industrial': 'Light fixtures | 15 Light Fixtures | Light tower | Flood light',
    vehicles: 'Light bars | 5 Light Bars | Tail light for Ford',
    'medical-scientific': 'Surgical light | Exam light | Curing light | Slit lamp',
  },
  bike: {
    'medical-scientific': 'Exercise bike | Stationary bike | Recumbent bike',
    vehicles: 'Dirt bike | Mini Bike | Police motorcycle',
    other: 'Schwinn 5 speed bicycle | Mountain bike | Kids bike',
  },
  radar: {
    electronics: 'Kustom radar gun | Radar gun | Speed radar',
    'military-surplus': 'Ground radar set',
    vehicles: 'Radar trailer',
  },
  gun: {
    'military-surplus': 'Shotgun | Gun rack',
    'tools-industrial': `Nail gun | Heat gun | Grease gun | Spray gun | Glue gun | Caulk gun | Rivet gun
      | Staple gun | Paint gun | Impact gun`,
    electronics: 'Radar gun | Bar code gun | Temperature gun',
    other: 'Toy gun | Squirt gun | Massage gun',
  },
  case: {
    'heavy-equipment': 'Case 580 backhoe | Case 1840 skid steer',
    other: 'Pelican case | Yamaha music cases | Cell phone case leather',
    electronics: 'Computer case | Laptop case',
    'military-surplus': 'Rifle case',
    'office-furniture': 'Book case | Cases of paper',
  },
}
