"""What we know of jax and NumPy, as text: `jax_api` parses it and says what it means.

Measured on jax 0.10.2 and NumPy 2; `tests/probe_jax_api.py` measures it again.
"""

from __future__ import annotations

# module|result|flags|functions; the flags are "c" cheap, "p" partial, "i" impure.
ROWS = """
jax.numpy|same|c|abs add around bitwise_and bitwise_invert bitwise_left_shift
jax.numpy|same|c|bitwise_not bitwise_or bitwise_right_shift bitwise_xor ceil clip conj
jax.numpy|same|c|fix floor floor_divide fmax fmin gcd imag invert lcm left_shift maximum
jax.numpy|same|c|minimum multiply nan_to_num negative positive real right_shift round
jax.numpy|same|c|select sign square subtract trunc where
jax.numpy|same|cp|fmod power remainder
jax.numpy|float|c|arcsinh arctan copysign cos deg2rad degrees fabs heaviside hypot
jax.numpy|float|c|interp ldexp logaddexp logaddexp2 nextafter rad2deg radians rint sin
jax.numpy|float|c|sinc spacing tan tanh
jax.numpy|float|cp|angle arccos arccosh arcsin arctan2 arctanh cbrt cosh divide exp exp2
jax.numpy|float|cp|expm1 float_power i0 log log10 log1p log2 reciprocal sinh sqrt
jax.numpy|bool|c|equal greater greater_equal isclose iscomplex isfinite isin isinf isnan
jax.numpy|bool|c|isneginf isposinf isreal less less_equal logical_and logical_not
jax.numpy|bool|c|logical_or logical_xor not_equal signbit
jax.numpy|int|c|bitwise_count digitize searchsorted
jax.numpy|reduce-same|c|max min nanmax nanmin nanprod nansum prod ptp sum trace
jax.numpy|reduce-float|c|mean nanmean nanvar var
jax.numpy|reduce-float|cp|average nanstd std
jax.numpy|reduce-float||median nanmedian nanpercentile nanquantile percentile quantile
jax.numpy|reduce-bool|c|all allclose any array_equal array_equiv
jax.numpy|reduce-int|c|argmax argmin count_nonzero nanargmax nanargmin
jax.numpy|create|c|arange array asarray bartlett blackman empty eye frombuffer
jax.numpy|create|c|fromfunction full geomspace hamming hanning identity indices kaiser
jax.numpy|create|c|linspace logspace ones tri zeros
jax.numpy|like|c|copy empty_like full_like ones_like zeros_like
jax.numpy|structure|c|append astype atleast_1d atleast_2d atleast_3d block broadcast_to
jax.numpy|structure|c|choose column_stack concatenate cumprod cumsum cumulative_prod
jax.numpy|structure|c|cumulative_sum delete diag diagflat diagonal diff dstack ediff1d
jax.numpy|structure|c|expand_dims fill_diagonal flip fliplr flipud hstack insert
jax.numpy|structure|c|matrix_transpose moveaxis nancumprod nancumsum pad permute_dims
jax.numpy|structure|c|place put put_along_axis ravel repeat reshape resize roll rollaxis
jax.numpy|structure|c|rot90 squeeze stack swapaxes take take_along_axis tile transpose
jax.numpy|structure|c|tril triu vstack
jax.numpy|structure||compress extract intersect1d partition setdiff1d setxor1d sort
jax.numpy|structure||trim_zeros union1d unique unique_values vander
jax.numpy|matmul||convolve correlate cross dot einsum inner kron matmul matvec outer
jax.numpy|matmul||polyval tensordot vdot vecdot vecmat
jax.numpy|linalg||corrcoef cov gradient histogram_bin_edges poly polyadd polyder polyfit
jax.numpy|linalg||polyint polymul polysub roots trapezoid unwrap
jax.numpy|int||argpartition argsort argwhere bincount flatnonzero lexsort packbits
jax.numpy|int||ravel_multi_index unpackbits
jax.numpy|tuple||array_split broadcast_arrays diag_indices diag_indices_from divmod
jax.numpy|tuple||dsplit frexp histogram histogram2d histogramdd hsplit ix_ mask_indices
jax.numpy|tuple||meshgrid modf nonzero polydiv split tril_indices tril_indices_from
jax.numpy|tuple||triu_indices triu_indices_from unique_all unique_counts unique_inverse
jax.numpy|tuple||unravel_index unstack vsplit
jax.numpy|static|c|array_repr array_str broadcast_shapes can_cast dtype einsum_path
jax.numpy|static|c|finfo get_printoptions iinfo iscomplexobj isdtype isrealobj isscalar
jax.numpy|static|c|issubdtype iterable ndim promote_types result_type shape size
jax.numpy|unknown||apply_along_axis apply_over_axes fromiter frompyfunc fromstring
jax.numpy|unknown||piecewise printoptions vectorize
jax.numpy|unknown|i|fromfile load save savez set_printoptions
jax.numpy.linalg|linalg|p|cholesky cond det eigvals eigvalsh inv matrix_norm norm pinv
jax.numpy.linalg|linalg|p|solve svdvals tensorinv tensorsolve vector_norm
jax.numpy.linalg|matmul||cross matmul matrix_power multi_dot outer tensordot vecdot
jax.numpy.linalg|structure|c|diagonal matrix_transpose
jax.numpy.linalg|reduce-same|c|trace
jax.numpy.linalg|reduce-int||matrix_rank
jax.numpy.linalg|tuple|p|eig eigh lstsq qr slogdet svd
jax.numpy.fft|linalg||fft fft2 fftn hfft ifft ifft2 ifftn ihfft irfft irfft2 irfftn rfft
jax.numpy.fft|linalg||rfft2 rfftn
jax.numpy.fft|structure|c|fftshift ifftshift
jax.numpy.fft|create|c|fftfreq rfftfreq
jax.lax|same|c|abs add asinh atan bessel_i0e bessel_i1e bitwise_and bitwise_not
jax.lax|same|c|bitwise_or bitwise_xor ceil clamp clz conj cos erf erfc floor imag
jax.lax|same|c|integer_pow logistic max min mul mulhi neg nextafter optimization_barrier
jax.lax|same|c|population_count real reduce_precision round select select_n shift_left
jax.lax|same|c|shift_right_arithmetic shift_right_logical sign sin square stop_gradient
jax.lax|same|c|sub tan tanh
jax.lax|same|cp|acos acosh asin atan2 atanh betainc cbrt cosh digamma div erf_inv exp
jax.lax|same|cp|exp2 expm1 igamma igammac lgamma log log1p polygamma pow reciprocal rem
jax.lax|same|cp|rsqrt sinh sqrt zeta
jax.lax|bool|c|eq ge gt is_finite le lt ne
jax.lax|reduce-same|c|reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum
jax.lax|reduce-same|c|reduce_xor
jax.lax|reduce-int|c|argmax argmin
jax.lax|create|c|broadcasted_iota empty full iota with_sharding_constraint
jax.lax|like|c|broadcast_like full_like
jax.lax|structure|c|bitcast_convert_type broadcast broadcast_in_dim broadcast_to_rank
jax.lax|structure|c|collapse concatenate convert_element_type cumlogsumexp cummax cummin
jax.lax|structure|c|cumprod cumsum dynamic_index_in_dim dynamic_slice
jax.lax|structure|c|dynamic_slice_in_dim dynamic_update_index_in_dim
jax.lax|structure|c|dynamic_update_slice dynamic_update_slice_in_dim expand_dims gather
jax.lax|structure|c|index_in_dim index_take pad reshape rev scatter scatter_add
jax.lax|structure|c|scatter_max scatter_min scatter_mul scatter_sub slice slice_in_dim
jax.lax|structure|c|squeeze stack tile transpose
jax.lax|structure||all_gather all_to_all ppermute pshuffle pswapaxes sort
jax.lax|reduce-same||pmax pmin psum psum_scatter
jax.lax|reduce-float||pmean
jax.lax|matmul||batch_matmul conv conv_general_dilated conv_general_dilated_local
jax.lax|matmul||conv_general_dilated_patches conv_transpose conv_with_general_padding
jax.lax|matmul||dot dot_general ragged_dot
jax.lax|int|c|axis_index
jax.lax|static|c|axis_size broadcast_shapes dtype padtype_to_pads
jax.lax|tuple||approx_max_k approx_min_k sort_key_val split top_k unstack
jax.lax|linalg||complex fft
jax.nn|float|c|celu elu gelu hard_sigmoid hard_silu hard_swish leaky_relu log_sigmoid
jax.nn|float|c|log_softmax mish relu6 selu sigmoid silu soft_sign softmax softplus
jax.nn|float|c|sparse_plus sparse_sigmoid squareplus standardize swish tanh
jax.nn|float|cp|log1mexp
jax.nn|same|c|hard_tanh identity relu
jax.nn|reduce-float|c|logmeanexp logsumexp
jax.nn|structure|c|glu
jax.nn|create|c|one_hot
jax.nn|matmul||dot_product_attention scaled_dot_general scaled_matmul
jax.nn.initializers|unknown||constant delta_orthogonal glorot_normal glorot_uniform
jax.nn.initializers|unknown||he_normal he_uniform kaiming_normal kaiming_uniform
jax.nn.initializers|unknown||lecun_normal lecun_uniform normal orthogonal
jax.nn.initializers|unknown||truncated_normal uniform variance_scaling xavier_normal
jax.nn.initializers|unknown||xavier_uniform
jax.nn.initializers|create|c|ones zeros
jax.random|random||ball bernoulli beta binomial bits categorical cauchy chisquare choice
jax.random|random||dirichlet double_sided_maxwell exponential f gamma generalized_normal
jax.random|random||geometric gumbel key_data laplace loggamma logistic lognormal maxwell
jax.random|random||multinomial multivariate_normal normal orthogonal pareto permutation
jax.random|random||poisson rademacher randint rayleigh t triangular truncated_normal
jax.random|random||uniform wald weibull_min
jax.random|key||PRNGKey clone fold_in key split wrap_key_data
jax.random|static|c|key_impl
jax.scipy.special|float|c|dawsn erf erfc expit gammasgn i0e i1e log_ndtr log_softmax
jax.scipy.special|float|c|ndtr softmax
jax.scipy.special|float|cp|bessel_jn beta betainc betaln boxcox boxcox1p comb digamma
jax.scipy.special|float|cp|entr erfcx erfinv exp1 expi expn factorial gamma gammainc
jax.scipy.special|float|cp|gammaincc gammaln hyp1f1 i0 i1 kl_div loggamma logit
jax.scipy.special|float|cp|multigammaln ndtri owens_t poch polygamma rel_entr spence
jax.scipy.special|float|cp|xlog1py xlogy zeta
jax.scipy.special|reduce-float|c|logsumexp
jax.scipy.special|tuple||fresnel sici
jax.scipy.linalg|linalg|p|block_diag cho_solve cholesky det expm funm inv lu_solve solve
jax.scipy.linalg|linalg|p|solve_triangular sqrtm toeplitz
jax.scipy.linalg|tuple|p|cho_factor eigh lu lu_factor polar qr schur svd
jax.ops|structure||segment_max segment_min segment_prod segment_sum
jax|static|c|default_backend device_count devices host_count host_id local_device_count
jax|static|c|local_devices process_count process_index typeof
jax|structure|c|block_until_ready device_put
jax|unknown|i|device_get
jax.debug|unknown|i|breakpoint callback print
jax.tree|static|c|structure
jax.tree_util|static|c|tree_structure
jax.tree|unknown|c|all flatten leaves map reduce transpose unflatten
jax.tree_util|unknown|c|tree_all tree_flatten tree_leaves tree_map tree_reduce
jax.tree_util|unknown|c|tree_transpose tree_unflatten
cmath|static|c|asinh cos isclose isfinite isinf isnan rect sin
cmath|static|cp|acos acosh asin atan atanh cosh exp log log10 phase polar sinh sqrt tan
cmath|static|cp|tanh
math|static|c|asinh atan ceil comb copysign cos degrees erf erfc fabs factorial floor
math|static|c|frexp fsum gcd hypot isclose isfinite isinf isnan isqrt lcm ldexp modf
math|static|c|nextafter perm prod radians sin sumprod tan tanh trunc ulp
math|static|cp|acos acosh asin atan2 atanh cbrt cosh dist exp exp2 expm1 fmod gamma
math|static|cp|lgamma log log10 log1p log2 pow remainder sinh sqrt
builtins|static|c|bool callable chr complex float format hasattr hash id int isinstance
builtins|static|c|issubclass len ord range repr str type
builtins|same|c|abs max min pow round sum
builtins|reduce-bool|c|all any
builtins|tuple|c|divmod
builtins|unknown|c|dict enumerate filter frozenset getattr iter list map object reversed
builtins|unknown|c|set slice sorted super tuple vars zip
builtins|unknown|i|delattr eval exec input next open print setattr
numpy|structure|c|asanyarray ascontiguousarray asfortranarray
numpy|unknown|i|copyto putmask savetxt savez_compressed seterr
numpy|static|c|may_share_memory min_scalar_type ndindex shares_memory
"""

DTYPES = (
    "bfloat16 bool bool_ complex128 complex64 complex_ float16 float32 float64"
    " float_ int16 int32 int64 int8 int_ uint uint16 uint32 uint64 uint8 single"
    " double csingle cdouble"
)

NUMPY_DTYPES = "half intc intp"

# Another name for the same function. `jax.numpy` names hold for `numpy`, too.
ALIASES = (
    "absolute=abs acos=arccos acosh=arccosh amax=max amin=min asin=arcsin"
    " asinh=arcsinh atan=arctan atan2=arctan2 atanh=arctanh bitwise_invert=invert"
    " bitwise_not=invert bitwise_left_shift=left_shift"
    " bitwise_right_shift=right_shift concat=concatenate conjugate=conj"
    " mod=remainder permute_dims=transpose pow=power row_stack=vstack"
    " trapz=trapezoid true_divide=divide degrees=rad2deg radians=deg2rad"
    " around=round ndarray=empty"
)

MODULE_ALIASES = {
    "jax.experimental.pjit.": "jax.",
    "jax.experimental.shard_map.": "jax.",
    "jax.interpreters.pxla.": "jax.",
    "jax.lax.linalg.": "jax.scipy.linalg.",
    "numpy.core.": "numpy.",
}

STATIC_REASONS = {
    "axis": "axis axes axis1 axis2 source destination dimension dimensions"
    " start_dimension stop_dimension broadcast_dimensions offset",
    "shape": "shape sizes new_sizes slice_sizes slice_size reps repeats pad_width"
    " padding_config window_dimensions window_strides strides limit_indices"
    " start_indices start_index limit_index stride",
    "dtype": "dtype new_dtype index_dtype",
    "size": "size length num num_segments num_classes indices_or_sections k N M n m d"
    " ndmin total_repeat_length minlength start stop step deg bins",
}

# module | name@position ... | functions
STATIC_PARAMS = """
jax.lax|axes@1|reduce_and reduce_max reduce_min reduce_or reduce_prod reduce_sum
jax.lax|axes@1|reduce_xor
jax.lax|axis@1 index_dtype@2|argmax argmin
jax.lax|axis@1 reverse@2|cumlogsumexp cummax cummin cumprod cumsum
jax.lax|axis@2 keepdims@3|dynamic_index_in_dim index_in_dim
jax.lax|axis@3|dynamic_update_index_in_dim dynamic_update_slice_in_dim
jax.lax|dimension@1|concatenate
jax.lax|dimension@1 num_keys@3|sort
jax.lax|dimension_numbers@2|dot_general
jax.lax|dimensions@1|expand_dims rev squeeze
jax.lax|dtype@0 shape@1 dimension@2|broadcasted_iota
jax.lax|dtype@0 size@1|iota
jax.lax|dtype@2 shape@3|full_like
jax.lax|k@1|approx_max_k approx_min_k top_k
jax.lax|length@3 reverse@4 unroll@5|scan
jax.lax|new_dtype@1|bitcast_convert_type convert_element_type
jax.lax|new_sizes@1 dimensions@2|reshape
jax.lax|padding_config@2|pad
jax.lax|shape@0 dtype@1|empty
jax.lax|shape@0 dtype@2|full
jax.lax|shape@1 broadcast_dimensions@2|broadcast_in_dim
jax.lax|sizes@1|broadcast
jax.lax|sizes@1 axis@2|split
jax.lax|start_index@1 limit_index@2 stride@3 axis@4|slice_in_dim
jax.lax|slice_size@2 axis@3|dynamic_slice_in_dim
jax.lax|start_indices@1 limit_indices@2 strides@3|slice
jax.lax|slice_sizes@2|dynamic_slice
jax.lax|reverse@2 axis@3|associative_scan
jax.lax|axis@1|stack unstack
jax.nn|approximate@1|gelu
jax.nn|axis@1|glu log_softmax softmax standardize
jax.nn|axis@1 keepdims@3|logmeanexp
jax.nn|axis@1 keepdims@3 return_sign@4|logsumexp
jax.nn|num_classes@1 dtype axis|one_hot
jax.numpy|M@0|bartlett blackman hamming hanning kaiser
jax.numpy|N@0 M@1 k@2 dtype@3|eye tri
jax.numpy|N@1|vander
jax.numpy|size|argwhere extract flatnonzero intersect1d nonzero setdiff1d setxor1d
jax.numpy|size|union1d unique_all unique_counts unique_inverse unique_values where
jax.numpy|axes@1|transpose
jax.numpy|axes@2|tensordot
jax.numpy|axis|gradient unstack
jax.numpy|axis dtype|cumulative_prod cumulative_sum
jax.numpy|axis1@1 axis2@2|swapaxes
jax.numpy|axis@1|apply_along_axis expand_dims lexsort packbits rollaxis size squeeze
jax.numpy|axis@1|flip
jax.numpy|axis@1 dtype@2|concatenate cumprod cumsum nancumprod nancumsum
jax.numpy|axis@1 dtype@2 keepdims@4|mean nanmean nanprod nansum prod sum
jax.numpy|axis@1 dtype@2 keepdims@5|nanstd nanvar std var
jax.numpy|axis@1 dtype@3|stack
jax.numpy|axis@1 keepdims@2|count_nonzero
jax.numpy|axis@1 keepdims@3|all any argmax argmin max min nanargmax nanargmin nanmax
jax.numpy|axis@1 keepdims@3|nanmin ptp
jax.numpy|axis@1 keepdims@4|average median nanmedian
jax.numpy|axis@1 stable descending|argsort sort
jax.numpy|axis@2|append argpartition delete partition roll trim_zeros unwrap
jax.numpy|axis@2|take_along_axis
jax.numpy|axis@2 method@5 keepdims@6|nanpercentile nanquantile percentile quantile
jax.numpy|axis@2 mode@4|take
jax.numpy|axis@2 size|compress
jax.numpy|axis@3|insert trapezoid
jax.numpy|axis@5|cross
jax.numpy|decimals@1|round
jax.numpy|deg@2|polyfit
jax.numpy|dimensions@0 dtype@1|indices
jax.numpy|dtype@1|astype asarray dstack hstack vstack
jax.numpy|dtype@1 ndmin|array
jax.numpy|start@0 stop@1 step@2 dtype@3|arange
jax.numpy|dtype@1 shape@2|empty_like ones_like zeros_like
jax.numpy|dtype@2 shape@3|full_like
jax.numpy|indices_or_sections@1|dsplit hsplit vsplit
jax.numpy|indices_or_sections@1 axis@2|array_split split
jax.numpy|k@1|diag diagflat tril triu
jax.numpy|k@1 axes@2|rot90
jax.numpy|length|bincount
jax.numpy|n@0|diag_indices
jax.numpy|n@0 dtype@1|identity
jax.numpy|n@0 k@1 m@2|tril_indices triu_indices
jax.numpy|n@1 axis@2|diff
jax.numpy|num@2 endpoint@3 dtype@4 axis@5|geomspace
jax.numpy|num@2 endpoint@3 dtype@5 axis@6|linspace logspace
jax.numpy|offset@1 axis1@2 axis2@3|diagonal
jax.numpy|offset@1 axis1@2 axis2@3 dtype@4|trace
jax.numpy|pad_width@1 mode@2|pad
jax.numpy|repeats@1 axis@2 total_repeat_length|repeat
jax.numpy|reps@1|tile
jax.numpy|return_index@1 return_inverse@2 return_counts@3 axis@4 size|unique
jax.numpy|shape@0 dtype@1|empty ones zeros
jax.numpy|shape@0 dtype@2|full
jax.numpy|shape@1|broadcast_to reshape unravel_index
jax.numpy|source@1 destination@2|moveaxis
jax.numpy|subscripts@0|einsum
jax.numpy.fft|axes@1|fftshift ifftshift
jax.numpy.fft|axes@2|fft2 fftn ifft2 ifftn irfft2 irfftn rfft2 rfftn
jax.numpy.fft|n@0|fftfreq rfftfreq
jax.numpy.fft|n@1 axis@2|fft hfft ifft ihfft irfft rfft
jax.numpy.linalg|n@1|matrix_power
jax.numpy.linalg|ord@1 axis@2 keepdims@3|norm
jax.ops|num_segments@2|segment_max segment_min segment_prod segment_sum
jax.random|shape@3 dtype@4|ball beta double_sided_maxwell f multivariate_normal
jax.random|shape@3 dtype@4|truncated_normal weibull_min binomial
jax.random|shape@1 dtype@2|bits cauchy exponential gumbel laplace logistic maxwell
jax.random|shape@1 dtype@2|normal rademacher uniform
jax.random|shape@1 dtype@4|randint
jax.random|shape@2 dtype@3|chisquare dirichlet gamma generalized_normal geometric
jax.random|shape@2 dtype@3|loggamma lognormal pareto poisson rayleigh t wald
jax.random|shape@4 dtype@5|triangular
jax.random|num@1|split
jax.random|shape@2|bernoulli
jax.random|shape@2 replace@3 axis@5|choice
jax.random|axis@2|permutation
jax.random|axis@2 shape@3|categorical
jax.random|n@1 shape@2|orthogonal
jax.scipy.special|axis@1 keepdims@3|logsumexp
jax.scipy.special|axis|log_softmax softmax
"""

# NumPy functions that accept a tracer as their first argument: they call its method of
# the same name, or look at its shape and dtype only. All others ask for `__array__`.
WORK_ON_TRACERS = (
    "all amax amin any argmax argmin around array_split can_cast common_type"
    " cumprod cumsum diag_indices_from flip hsplit imag iscomplexobj"
    " isreal isrealobj isscalar iterable max mean min moveaxis ndim permute_dims"
    " prod real repeat reshape result_type rollaxis round searchsorted shape size"
    " split squeeze std sum swapaxes take_along_axis transpose tril_indices_from"
    " triu_indices_from unstack var vsplit"
)

# Functions that ask a tracer for `__array__`, and of which nothing else is said here;
# `()` stands for what the function returns, when that is called.
FAIL_ON_TRACERS = (
    "asarray_chkfinite asmatrix frompyfunc() ndenumerate real_if_close require"
    " sort_complex vectorize()"
)

# NumPy functions with no `jax.numpy` function of the same meaning, although most have a
# namesake. In this order: they write to an argument or a file; the shape of the result
# depends on values; they call a Python function; they raise on values out of range.
NOT_IN_JNP = (
    "copyto fill_diagonal place put put_along_axis putmask frombuffer fromfile"
    " fromiter fromstring load save savez printoptions set_printoptions"
    " get_printoptions argwhere bincount compress extract flatnonzero intersect1d"
    " nonzero polydiv roots setdiff1d setxor1d trim_zeros union1d unique unique_all"
    " unique_counts unique_inverse unique_values apply_along_axis apply_over_axes"
    " fromfunction frompyfunc piecewise vectorize choose ravel_multi_index"
)

# The methods of NumPy's ufuncs that give an array, and the ufuncs that have them in
# `jax.numpy` too.
UFUNC_METHODS = "reduce accumulate reduceat outer"
JNP_UFUNCS = (
    "add bitwise_and bitwise_or bitwise_xor logaddexp logaddexp2 logical_and"
    " logical_or logical_xor maximum minimum multiply subtract"
)

NUMPY_RENAMED = (
    "asanyarray=asarray fix=trunc float_=float64 half=float16 intc=int32 intp=int_"
    " row_stack=vstack trapz=trapezoid"
)

# Keywords of NumPy that its `jax.numpy` namesakes refuse or ignore; then those that
# only ufuncs have.
NUMPY_KEYWORDS = "a_max a_min casting correction kind like ndmax out subok"

UFUNC_KEYWORDS = "dtype order where"

# name|function operands|what is traced|wraps or calls|options for static arguments
TRANSFORMS = """
jax.jit|0:fun|all|wraps|static_argnums static_argnames
jax.pjit|0:fun|all|wraps|static_argnums static_argnames
jax.pmap|0:fun|all|wraps|static_broadcasted_argnums
jax.vmap|0:fun|mapped|wraps|
jax.grad|0:fun|none|wraps|
jax.value_and_grad|0:fun|none|wraps|
jax.jacfwd|0:fun|none|wraps|
jax.jacrev|0:fun|none|wraps|
jax.jacobian|0:fun|none|wraps|
jax.hessian|0:fun|none|wraps|
jax.jvp|0:fun|none|calls|
jax.vjp|0:fun|none|calls|
jax.linearize|0:fun|none|calls|
jax.linear_transpose|0:fun|all|wraps|
jax.checkpoint|0:fun|all|wraps|static_argnums static_argnames
jax.remat|0:fun|all|wraps|static_argnums
jax.custom_jvp|0:fun|none|wraps|nondiff_argnums nondiff_argnames
jax.custom_vjp|0:fun|none|wraps|nondiff_argnums nondiff_argnames
jax.custom_gradient|0:fun|none|wraps|
jax.custom_batching.custom_vmap|0:fun|none|wraps|
jax.custom_batching.sequential_vmap|0:f|all|wraps|
jax.closure_convert|0:fun|all|calls|
jax.shard_map|0:f|all|wraps|
jax.eval_shape|0:fun|all|calls|
jax.make_jaxpr|0:fun|all|wraps|static_argnums
jax.named_call|0:fun|none|wraps|
jax.experimental.checkify.checkify|0:f|all|wraps|
jax.experimental.pallas.pallas_call|0:kernel|all|wraps|
jax.lax.scan|0:f|all|calls|
jax.lax.cond|1:true_fun 2:false_fun|all|calls|
jax.lax.switch|1:branches*|all|calls|
jax.lax.while_loop|0:cond_fun 1:body_fun|all|calls|
jax.lax.fori_loop|2:body_fun|all|calls|
jax.lax.map|0:f|all|calls|
jax.lax.associative_scan|0:fn|none|calls|
jax.lax.reduce|2:computation|all|calls|
jax.lax.reduce_window|2:computation|all|calls|
jax.lax.custom_root|0:f 2:solve 3:tangent_solve|all|calls|
jax.lax.custom_linear_solve|0:matvec 2:solve 3:transpose_solve|all|calls|
jax.numpy.vectorize|0:pyfunc|mapped|wraps|excluded
jax.numpy.piecewise|2:funclist*|all|calls|
jax.numpy.apply_along_axis|0:func1d|mapped|calls|
jax.numpy.fromfunction|0:function|all|calls|
jax.tree.map|0:f|none|calls|
jax.tree_util.tree_map|0:f|none|calls|
jax.pure_callback|0:callback|host|calls|
jax.experimental.io_callback|0:callback|host|calls|
jax.debug.callback|0:callback|host|calls|
equinox.filter_jit|0:fun|all|wraps|
equinox.filter_pmap|0:fun|all|wraps|
equinox.filter_vmap|0:fun|mapped|wraps|
equinox.filter_grad|0:fun|none|wraps|
equinox.filter_value_and_grad|0:fun|none|wraps|
equinox.filter_checkpoint|0:fun|all|wraps|
flax.nnx.jit|0:fun|all|wraps|static_argnums static_argnames
flax.nnx.grad|0:f|none|wraps|
flax.nnx.value_and_grad|0:f|none|wraps|
flax.nnx.scan|0:f|all|wraps|
flax.nnx.vmap|0:f|mapped|wraps|
flax.nnx.remat|0:f|all|wraps|static_argnums
flax.linen.jit|0:target|all|wraps|
flax.linen.vmap|0:target|mapped|wraps|
flax.linen.scan|0:target|all|wraps|
flax.linen.remat|0:target|all|wraps|static_argnums
haiku.transform|0:f|none|wraps|
haiku.transform_with_state|0:f|none|wraps|
haiku.jit|0:fun|all|wraps|static_argnums static_argnames
haiku.vmap|0:fun|mapped|wraps|
haiku.grad|0:fun|none|wraps|
haiku.remat|0:fun|all|wraps|
haiku.scan|0:f|all|calls|
haiku.cond|1:true_fun 2:false_fun|all|calls|
haiku.while_loop|0:cond_fun 1:body_fun|all|calls|
haiku.fori_loop|2:body_fun|all|calls|
haiku.switch|1:branches*|all|calls|
"""

IMPURE = """
the time|time.time time.time_ns time.perf_counter time.perf_counter_ns time.monotonic
the time|time.process_time time.localtime time.gmtime time.ctime time.strftime
the time|datetime.datetime.now datetime.datetime.utcnow datetime.datetime.today
the time|datetime.date.today
a pause|time.sleep
random numbers of Python|random.random random.randint random.randrange random.uniform
random numbers of Python|random.choice random.choices random.sample random.shuffle
random numbers of Python|random.gauss random.normalvariate random.expovariate
random numbers of Python|random.seed random.betavariate random.triangular
random numbers of Python|random.getrandbits uuid.uuid1 uuid.uuid4 os.urandom
random numbers of Python|secrets.token_hex secrets.randbelow
random numbers of NumPy|numpy.random.rand numpy.random.randn numpy.random.random
random numbers of NumPy|numpy.random.random_sample numpy.random.randint
random numbers of NumPy|numpy.random.uniform numpy.random.normal
random numbers of NumPy|numpy.random.standard_normal numpy.random.choice
random numbers of NumPy|numpy.random.permutation numpy.random.shuffle numpy.random.seed
random numbers of NumPy|numpy.random.beta numpy.random.binomial numpy.random.exponential
random numbers of NumPy|numpy.random.gamma numpy.random.poisson numpy.random.default_rng
random numbers of NumPy|numpy.random.bytes numpy.random.chisquare numpy.random.dirichlet
random numbers of NumPy|numpy.random.f numpy.random.geometric numpy.random.gumbel
random numbers of NumPy|numpy.random.hypergeometric numpy.random.laplace
random numbers of NumPy|numpy.random.logistic numpy.random.lognormal
random numbers of NumPy|numpy.random.logseries numpy.random.multinomial
random numbers of NumPy|numpy.random.multivariate_normal numpy.random.pareto
random numbers of NumPy|numpy.random.negative_binomial numpy.random.power
random numbers of NumPy|numpy.random.noncentral_chisquare numpy.random.noncentral_f
random numbers of NumPy|numpy.random.random_integers numpy.random.ranf
random numbers of NumPy|numpy.random.rayleigh numpy.random.sample
random numbers of NumPy|numpy.random.standard_cauchy numpy.random.standard_exponential
random numbers of NumPy|numpy.random.standard_gamma numpy.random.standard_t
random numbers of NumPy|numpy.random.triangular numpy.random.vonmises numpy.random.wald
random numbers of NumPy|numpy.random.weibull numpy.random.zipf
the environment|os.getenv os.environ.get os.environb.get os.getcwd os.getpid
the file system|open os.listdir os.path.exists os.makedirs os.remove os.rename
the file system|os.mkdir os.unlink os.replace os.path.isfile os.path.isdir
the file system|pathlib.Path().open pathlib.Path().read_text pathlib.Path().read_bytes
the file system|pathlib.Path().write_text pathlib.Path().write_bytes
the file system|pathlib.Path().exists pathlib.Path().is_file pathlib.Path().is_dir
the file system|pathlib.Path().mkdir pathlib.Path().unlink pathlib.Path().touch
the file system|pathlib.Path().iterdir pathlib.Path().glob
the file system|numpy.load numpy.save numpy.savez numpy.savetxt
the file system|numpy.loadtxt pickle.dump pickle.load json.dump json.load
user input|input sys.stdin.read sys.stdin.readline
output|print sys.stdout.write sys.stderr.write sys.stdout.flush sys.stderr.flush
output|pprint.pprint logging.debug logging.info logging.warning logging.error
output|logging.critical logging.exception logging.log warnings.warn absl.logging.info
output|absl.logging.warning absl.logging.error absl.logging.debug
"""
