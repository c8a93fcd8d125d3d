# SPDX-License-Identifier: Apache-2.0
"""Further public tables for the comparison with peers: small ones, small parts of large ones, many columns. Bounds in
the schemas come from documentation and definitions, none from the records."""

import tarfile

import numpy

import sets

SCHEMAS = sets.HERE / "schemas"
DELTA = 1e-6
WDBC = [
    "radius",
    "texture",
    "perimeter",
    "area",
    "smoothness",
    "compactness",
    "concavity",
    "concave_points",
    "symmetry",
    "fractal",
]
# name: (folder in the archive, header); further columns are dropped
UCI = {
    "housing": (
        "bostonHousing",
        "crime,large_lots,industry,river,nitric_oxide,rooms,old,distance,highways,tax,pupils,segregation,"
        "low_status,value",
    ),
    "concrete": ("concrete", "cement,slag,fly_ash,water,superplasticizer,coarse_aggregate,fine_aggregate,age,strength"),
    "energy": ("energy", "compactness,surface,walls,roof,height,orientation,glazing,distribution,heating"),
    "kin8nm": ("kin8nm", "t1,t2,t3,t4,t5,t6,t7,t8,distance"),
    "naval": (
        "naval-propulsion-plant",
        "lever,speed,shaft_torque,turbine_revolutions,generator_revolutions,starboard_torque,"
        "port_torque,turbine_exit_temperature,compressor_inlet_temperature,compressor_outlet_temperature,"
        "turbine_exit_pressure,compressor_inlet_pressure,compressor_outlet_pressure,exhaust_pressure,injection,fuel,"
        "compressor_decay",
    ),
    "power": ("power-plant", "temperature,vacuum,pressure,humidity,megawatt"),
    "wine": (
        "wine-quality-red",
        "fixed_acidity,volatile_acidity,citric_acid,sugar,chlorides,free_sulfur_dioxide,sulfur_dioxide,"
        "density,acidity,sulphates,alcohol,quality",
    ),
    "yacht": ("yacht", "buoyancy,prismatic,length_displacement,beam_draught,length_beam,froude,resistance"),
}


def flags_schema(path, count, target):
    """All columns are 0 or 1, named by their numbers."""
    return sets.write(
        path,
        f'version = 1\n\n[target]\ncolumn = "label"\n{target}\n\n[[column]]\nrange = [1, {count}]\nkind = "boolean"\n',
    )


def flags_header(count):
    return ",".join([*map(str, range(1, count + 1)), "label"])


def a9a(data, folder):
    """From LIBSVM to CSV: what a line does not mention is 0."""
    files = []
    for name, part in (("train.csv", "a9a.gz"), ("test.csv", "a9a.t.gz")):
        lines = [flags_header(123)]
        for line in sets.text_of(data / "a9a" / part).splitlines():
            label, *pairs = line.split()
            cells = ["0"] * 123 + [str(int(label))]
            for pair in pairs:
                cells[int(pair.split(":")[0]) - 1] = "1"
            lines.append(",".join(cells))
        files.append(sets.write(folder / name, "\n".join(lines) + "\n"))
    return *files, flags_schema(folder / "schema.toml", 123, 'kind = "binary"\npositive = "1"')


def breast(data, folder):
    lines = sets.text_of(data / "breast_cancer_wisconsin" / "breast-cancer-wisconsin.data.gz").splitlines()
    header = "id,clump,size,shape,adhesion,epithelial,nuclei,chromatin,nucleoli,mitoses,class"
    return *sets.split_lines(folder, lines, header), SCHEMAS / "breast.toml"


def wdbc(data, folder):
    lines = sets.text_of(data / "breast_cancer_wisconsin" / "breast_cancer_wdbc.csv.gz").splitlines()[1:]  # sizes first
    header = WDBC + [name + "_error" for name in WDBC] + ["worst_" + name for name in WDBC] + ["benign"]
    return *sets.split_lines(folder, lines, ",".join(header)), SCHEMAS / "wdbc.toml"


def census(data, folder, file, schema):
    header, *lines = sets.text_of(data / "pums_dp_teaching" / file).splitlines()
    return *sets.split_lines(folder, lines, header.replace('"', "")), SCHEMAS / schema


def newsgroups(data, folder, file):
    """Does a word occur in the posting? Counts have no public bound."""
    import scipy.io

    content = scipy.io.loadmat(data / "sparse_text_binary" / file)
    words = (content["X"].toarray() if hasattr(content["X"], "toarray") else content["X"]) > 0
    rows = numpy.column_stack([words.astype(int), content["Y"].ravel().astype(int)])
    count = words.shape[1]
    files = sets.split_lines(folder, [",".join(map(str, row)) for row in rows.tolist()], flags_header(count))
    return *files, flags_schema(folder / "schema.toml", count, 'kind = "binary"\npositive = "2"')


def location30(data, folder):
    with tarfile.open(data / "location30" / "dataset_location.tgz") as archive:
        text = archive.extractfile("bangkok").read().decode()
    lines = []
    for line in text.splitlines():
        label, cells = line.split(",", 1)
        lines.append(f"{cells},c{int(label.strip(chr(34))):02d}")
    classes = ", ".join(f'"c{k:02d}"' for k in range(1, 31))
    files = sets.split_lines(folder, lines, flags_header(446))
    return *files, flags_schema(folder / "schema.toml", 446, f'kind = "class"\nvalues = [{classes}]')


def uci(data, folder, name):
    """The first of the published splits."""
    source, header = UCI[name]
    count = header.count(",") + 1
    with tarfile.open(data / "uci_regression_splits" / "UCI_Datasets.tar.gz") as archive:

        def member(file):
            return archive.extractfile(f"UCI_Datasets/{source}/data/{file}").read().decode()

        lines = [",".join(line.split()[:count]) for line in member("data.txt").splitlines() if line.strip()]
        parts = [[int(float(i)) for i in member(f"index_{part}_0.txt").split()] for part in ("train", "test")]
    files = [
        sets.write(folder / f"{part}.csv", "\n".join([header] + [lines[i] for i in rows]) + "\n")
        for part, rows in zip(("train", "test"), parts)
    ]
    return *files, SCHEMAS / f"{name}.toml"


def part_of(maker, rows, has_header):
    """The first rows of a fixed permutation of a table to learn from; the rows to test on stay."""

    def make(data, folder):
        train, test, schema = maker(data, folder)
        header, lines = "", train.read_text().splitlines()
        if has_header:
            header, *lines = lines
        lines = [line for line in lines if line]
        chosen = numpy.random.default_rng(sets.SPLIT_SEED).permutation(len(lines))[:rows]
        text = "\n".join(([header] if has_header else []) + [lines[i] for i in chosen]) + "\n"
        return sets.write(folder / f"train-{rows}.csv", text), test, schema

    return make


def from_census(file, schema):
    return lambda data, folder: census(data, folder, file, schema)


def from_newsgroups(file):
    return lambda data, folder: newsgroups(data, folder, file)


def from_uci(name):
    return lambda data, folder: uci(data, folder, name)


# name: (maker, loss, metric). The smallest first.
OWN = {
    "yacht": (from_uci("yacht"), "squared", "r2"),
    "housing": (from_uci("housing"), "squared", "r2"),
    "wdbc": (wdbc, "logistic", "accuracy"),
    "breast": (breast, "logistic", "accuracy"),
    "energy": (from_uci("energy"), "squared", "r2"),
    "pums-married-1000": (
        from_census("PUMS_california_demographics_1000.csv.gz", "pums_married.toml"),
        "logistic",
        "accuracy",
    ),
    "adult-1000": (part_of(sets.adult, 1000, False), "logistic", "accuracy"),
    "credit-1000": (part_of(sets.credit, 1000, True), "logistic", "accuracy"),
    "bank-1000": (part_of(sets.bank, 1000, True), "logistic", "accuracy"),
    "california-1000": (part_of(sets.california, 1000, False), "squared", "r2"),
    "concrete": (from_uci("concrete"), "squared", "r2"),
    "wine": (from_uci("wine"), "squared", "r2"),
    "adult-3000": (part_of(sets.adult, 3000, False), "logistic", "accuracy"),
    "credit-3000": (part_of(sets.credit, 3000, True), "logistic", "accuracy"),
    "acs-3000": (part_of(sets.acs, 3000, True), "logistic", "accuracy"),
    "covertype-3000": (part_of(sets.covertype_binary, 3000, True), "logistic", "accuracy"),
    "california-3000": (part_of(sets.california, 3000, False), "squared", "r2"),
    "kin8nm": (from_uci("kin8nm"), "squared", "r2"),
    "pums-income": (from_census("PUMS5extract10000.csv.gz", "pums_income.toml"), "squared", "r2"),
    "power": (from_uci("power"), "squared", "r2"),
    "naval": (from_uci("naval"), "squared", "r2"),
    "fulton-married": (from_census("FultonPUMS5full.csv.gz", "fulton.toml"), "logistic", "accuracy"),
    "a9a": (a9a, "logistic", "accuracy"),
    "pcmac": (from_newsgroups("PCMAC.mat"), "logistic", "accuracy"),
    "basehock": (from_newsgroups("BASEHOCK.mat"), "logistic", "accuracy"),
    "location30": (location30, "softmax", "accuracy"),
}
# Tables of the accuracy page: one problem each, with the loss whose predictions are probabilities.
SHARED = [
    "california",
    "credit",
    "adult",
    "bank",
    "protein",
    "kdd",
    "ijcnn1",
    "acs",
    "diabetes",
    "covertype",
    "covertype-softmax",
    "mnist-softmax",
]
NAMES = [*OWN, *SHARED]


def make(name, data, folder):
    if name in SHARED:
        problem = sets.make(name, data, folder)
        problem.delta = DELTA
        return problem
    maker, loss, metric = OWN[name]
    train, test, schema = maker(data, folder / name)
    return sets.Problem(name, train, test, schema, ["--loss", loss], DELTA, metric)
